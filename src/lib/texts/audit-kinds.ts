import type { AuditKind } from './audit-actions';

type Described = {
  /** Their name in the filter of the log. */
  label: string;
  /** One of them, within a sentence. Null if no sentence of its actions names one. */
  noun: string | null;
  /** The field of the record that an entry has its name in. */
  name: string | null;
  /** The address of its page, before the ID. */
  page?: string;
};

/** The kinds of records that the audit log is about. */
export const KINDS: Readonly<Record<AuditKind, Described>> = {
  abuse_threshold: { label: 'Rate limits', noun: null, name: null },
  admin: { label: 'Admins', noun: 'admin', name: 'email', page: '/admins/' },
  alert: { label: 'Alerts', noun: 'sender', name: 'subject' },
  alert_email: { label: 'Alert emails', noun: null, name: null },
  alert_mute: { label: 'Muted alerts', noun: null, name: 'subject' },
  alias: { label: 'Aliases', noun: 'alias', name: 'address', page: '/aliases?history=' },
  api_key: { label: 'API keys', noun: 'API key', name: 'name', page: '/api-keys?history=' },
  audit: { label: 'Audit log', noun: null, name: null },
  backup: { label: 'Backups', noun: 'backup', name: 'name' },
  cluster_node: { label: 'Nodes', noun: 'node', name: 'host' },
  config: { label: 'Configuration', noun: null, name: null },
  deleted_record: { label: 'Restored records', noun: 'deleted record', name: null },
  dmarc_report: { label: 'DMARC reports', noun: null, name: null },
  domain: { label: 'Domains', noun: 'domain', name: 'name', page: '/domains/' },
  health: { label: 'Health checks', noun: null, name: null },
  mail_backup: { label: 'Mail backups', noun: 'mailbox', name: null },
  mailbox: { label: 'Mailboxes', noun: 'mailbox', name: 'email', page: '/mailboxes/' },
  message: { label: 'Messages', noun: 'message', name: 'subject', page: '/messages/' },
  operation: { label: 'Service operations', noun: 'operation', name: null },
  queue: { label: 'Queue', noun: 'message', name: null },
  relay: { label: 'Relay', noun: null, name: null },
  saved_view: { label: 'Saved views', noun: 'view', name: 'name' },
  session: { label: 'Sign-ins', noun: null, name: null },
  sieve_filter: { label: 'Filters', noun: 'filter', name: 'name', page: '/sieve-filters/' },
  suppression: { label: 'Suppressions', noun: 'suppression', name: 'email' },
  template: { label: 'Templates', noun: 'template', name: 'name' },
  tls_report: { label: 'TLS reports', noun: null, name: null },
  webhook: { label: 'Webhooks', noun: 'webhook', name: 'name', page: '/webhooks/' },
};
export const AUDIT_KINDS = Object.keys(KINDS) as [AuditKind, ...AuditKind[]];

/** The kind of a resource (`alias:<id>`) or an action (`alias.create`), if it is one of them. */
export function findKind(text: string): Described | undefined {
  return KINDS[text.split(/[.:]/)[0] as AuditKind];
}
