import type { DeletedRecordKind } from '../prisma/client';

type KeptTable = {
  name: string;
  /** The condition of the rows of record $1. */
  ofRecord: string;
  /** The condition of those that can be inserted again, as `kept."row"`. */
  restorable?: string;
  /** Whether a row that exists again, by its unique columns, stays as it is. By default, the record can’t be restored then. */
  isKeptIfExisting?: boolean;
};

const own = (name: string): KeptTable => ({ name, ofRecord: 'id = $1::uuid' });
const ofDomain = (name: string): KeptTable => ({ name, ofRecord: 'domain_id = $1::uuid' });
const ofMailbox = (name: string): KeptTable => ({ name, ofRecord: 'mailbox_id = $1::uuid' });

/** The lock keeps a change of the admin waiting, which then finds the assignment. */
const OF_DOMAIN_ADMIN = `EXISTS (
  SELECT 1 FROM admin WHERE admin.id = (kept."row"->>'admin_id')::uuid AND admin.role = 'domain_admin' FOR SHARE)`;

/** The tables whose rows are deleted with a record, in the order in which the rows can be inserted again. */
export const KEPT_TABLES: Record<DeletedRecordKind, readonly KeptTable[]> = {
  alias: [own('alias')],
  domain: [
    own('domain'),
    ofDomain('dkim_key'),
    ofDomain('sieve_filter'),
    ofDomain('alert_mute'),
    ofDomain('suppression'),
    ofDomain('webhook'),
    ofDomain('template'),
    { name: 'template_version', ofRecord: 'template_id IN (SELECT id FROM template WHERE domain_id = $1::uuid)' },
    { ...ofDomain('admin_domain'), restorable: OF_DOMAIN_ADMIN },
  ],
  mailbox: [own('mailbox'), ofMailbox('sieve_filter'), ofMailbox('mailbox_sign_in')],
  suppression: [{ ...own('suppression'), isKeptIfExisting: true }],
  sieve_filter: [own('sieve_filter')],
  template: [own('template'), { name: 'template_version', ofRecord: 'template_id = $1::uuid' }],
  webhook: [own('webhook')],
};
