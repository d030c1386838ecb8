import type { Status } from '@/components/marks/status-mark';
import {
  type ConfiguredService,
  type MAIL_BACKUP_OPERATIONS,
  type MailService,
  type RelayTls,
  SET_RELAY,
  type ServiceOperation,
} from '@/lib/mail/operations';
import type { MailServiceStatus, Operation } from '../schema';

export const SERVICE_TITLES: Record<ConfiguredService, string> = {
  postfix: 'Postfix',
  dovecot: 'Dovecot',
  rspamd: 'Rspamd',
  redis: 'Redis',
  agent: 'Mail agent',
};

export const SERVICE_ROLES: Record<ConfiguredService, string> = {
  postfix: 'receives and sends mail',
  dovecot: 'keeps the mailboxes',
  rspamd: 'filters and signs',
  redis: 'holds DKIM keys',
  agent: 'reports to Postroom',
};

export const SERVICE_MARKS: Record<MailServiceStatus['state'], [Status, string]> = {
  running: ['on', 'Running'],
  not_responding: ['failed', 'Not responding'],
  stopped: ['failed', 'Stopped'],
  unknown: ['pending', 'Unknown'],
};

export const OPERATION_MARKS: Record<Operation['state'], [Status, string]> = {
  queued: ['pending', 'Queued'],
  running: ['submitting', 'Running'],
  succeeded: ['delivered', 'Succeeded'],
  failed: ['failed', 'Failed'],
  rolled_back: ['bounced', 'Rolled back'],
  interrupted: ['warning', 'Interrupted'],
};

/** An operation that an admin requests, before it has an ID. */
export type Request = { action: ServiceOperation; service: MailService | null; host: string };

type Texts = {
  /** "Restart Postfix" */
  title: (target: string) => string;
  /** Returns what happens to mail during the operation. */
  consequence: (service: MailService | null) => string;
};

export const ACTION_TEXTS: Record<ServiceOperation, Texts> = {
  reload: {
    title: (target) => `Reload ${target}`,
    consequence: (service) => {
      if (service === 'postfix')
        return 'Postfix reads its configuration and certificate again. Running deliveries finish.';
      if (service === 'rspamd') return 'Rspamd reads its configuration again. Mail is filtered and signed meanwhile.';
      const repeated =
        'Running deliveries to mailboxes are interrupted, and Postfix repeats them: a message that a mailbox had just accepted may arrive twice. People stay signed in or reconnect.';
      if (service === 'dovecot') return `Dovecot reads its configuration and certificate again. ${repeated}`;
      return `Rspamd, Dovecot and Postfix read their configuration and certificate again. ${repeated} Redis reads its configuration only at start.`;
    },
  },
  restart: {
    title: (target) => `Restart ${target}`,
    consequence: (service) => {
      if (service === 'postfix')
        return 'Running deliveries are interrupted and repeated later: a message that a receiving server had just accepted may arrive twice. Nobody can send or deliver mail here for a few seconds, and other servers retry.';
      if (service === 'dovecot')
        return 'People are disconnected from their mailboxes for a few seconds and can’t sign in to send. Running deliveries are repeated: a message that a mailbox had just accepted may arrive twice.';
      if (service === 'rspamd')
        return 'Mail is deferred until Rspamd is back: seconds, or up to 40 seconds with a new suffix list.';
      if (service === 'redis')
        return 'Outbound mail waits until Redis is back, since it holds the DKIM keys. Inbound mail flows.';
      return 'The services stop in reverse order and start again, each once the one before responds: about 15 seconds, or a minute with a new suffix list. People are disconnected, nobody can send or deliver mail here meanwhile, and other servers retry. Running deliveries are repeated: a message that was just accepted may arrive twice.';
    },
  },
  apply_config: {
    title: () => 'Apply configuration',
    consequence: () =>
      'The configuration is generated from the settings file and checked by the services’ own checkers. Only what differs is replaced, also what was edited by hand, and reloaded or restarted, which can interrupt running deliveries; they are repeated. If a service doesn’t respond, the former files are restored.',
  },
  rebuild_maps: {
    title: () => 'Rebuild maps',
    consequence: () =>
      'All DKIM keys are stored in Redis again, compiled filters are deleted and compiled again with the next message, and Postfix is reloaded. Running deliveries finish.',
  },
  renew_certificates: {
    title: () => 'Renew certificates',
    consequence: () =>
      'With ACME, a new certificate is obtained if it is due. Postfix and Dovecot are reloaded if they serve another certificate than the one in its file: running deliveries to mailboxes are then repeated.',
  },
};

export const RELAY_TLS_TEXTS: Record<RelayTls, string> = {
  may: 'If the relay offers it',
  encrypt: 'Required',
  secure: 'Required, with a valid certificate',
};

const BACKUP_TITLES: Record<(typeof MAIL_BACKUP_OPERATIONS)[number], string> = {
  backup_mail: 'Back up mail',
  restore_mail: 'Restore mailbox',
  check_mail: 'Check mail backups',
};

export function titleOf({ action, service }: { action: ServiceOperation; service: MailService | null }): string {
  return ACTION_TEXTS[action].title(service ? SERVICE_TITLES[service] : 'all services');
}

/** "Preview: Apply configuration" */
export function operationTitle(operation: Pick<Operation, 'action' | 'service' | 'dry_run' | 'input'>): string {
  const { action, service, input } = operation;
  if (isBackup(action)) return input ? `${BACKUP_TITLES[action]} ${input.mailbox}` : BACKUP_TITLES[action];
  if (action === SET_RELAY) return 'Set relay';
  const title = titleOf({ action, service });
  return operation.dry_run ? `Preview: ${title}` : title;
}

function isBackup(action: Operation['action']): action is keyof typeof BACKUP_TITLES {
  return Object.hasOwn(BACKUP_TITLES, action);
}
