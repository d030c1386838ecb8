import type { OperationAction } from '@/lib/mail/operations';
import type { AuditEntry } from '../../schema';
import { type Part, partOf, textIn } from './part';
import type { Phrase } from './phrases';

type Words = (operation: { services: string; mailbox: string }) => [did: string, toDo: string];

const OPERATIONS: Record<OperationAction, Words> = {
  reload: ({ services }) => [`reloaded ${services}`, `reload ${services}`],
  restart: ({ services }) => [`restarted ${services}`, `restart ${services}`],
  apply_config: () => ['applied the configuration', 'apply the configuration'],
  rebuild_maps: () => ['rebuilt the maps', 'rebuild the maps'],
  renew_certificates: () => ['renewed the certificates', 'renew the certificates'],
  set_relay: () => ['set the relay', 'set the relay'],
  backup_mail: () => ['backed up the mail', 'back up the mail'],
  check_mail: () => ['checked the mail backups', 'check the mail backups'],
  restore_mail: ({ mailbox }) => [`restored ${mailbox}`, `restore ${mailbox}`],
};

const SERVICES: Record<string, string> = { redis: 'Redis', rspamd: 'Rspamd', dovecot: 'Dovecot', postfix: 'Postfix' };

/** Returns the phrase for an operation of the mail server, which one entry requests and another completes; the name is the host's. */
export function operationPhrase({ action, details }: AuditEntry): Phrase | undefined {
  const operation = operationIn(details);
  const words = OPERATIONS[operation.action as OperationAction];
  if (!words) return undefined;
  const service = textIn(operation.service);
  const mailbox = textIn(partOf(operation.input).mailbox);
  const [did, toDo] = words({
    services: service ? (SERVICES[service] ?? service) : 'all services',
    mailbox: mailbox ? `mailbox ${mailbox}` : 'a mailbox',
  });
  const on = textIn(operation.host) ? ' on' : '';
  return { did: `${action === 'operation.finish' ? did : `asked to ${toDo}`}${on}`, toDo: `${toDo}${on}` };
}

export function operationHost({ details }: AuditEntry): string | null {
  return textIn(operationIn(details).host);
}

function operationIn(details: Part): Part {
  return { ...details, ...partOf(details.after) };
}
