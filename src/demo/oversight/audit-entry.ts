import type { DemoContext } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';
import { insertRows } from '../rows';

export type DemoEntry = {
  at: Date;
  action: string;
  resource: string;
  domainId?: string | null;
  /** Null for the app itself. */
  admin: Pick<DemoAdmin, 'id' | 'email' | 'ipAddress' | 'userAgent'> | null;
  apiKeyId?: string | null;
  /** The address of a failed sign-in. */
  email?: string;
  /** Overrides the admin's usual one. */
  ipAddress?: string;
  userAgent?: string;
  outcome?: 'success' | 'denied' | 'error';
  details?: object;
};

/** Inserts unsealed entries, in the order in which the app seals them. */
export async function insertEntries({ tx, random }: DemoContext, entries: readonly DemoEntry[]): Promise<void> {
  const rows = entries
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((entry) => ({
      id: random.uuidAt(entry.at),
      admin_id: entry.admin?.id ?? null,
      admin_email: entry.admin?.email ?? entry.email ?? null,
      api_key_id: entry.apiKeyId ?? null,
      action: entry.action,
      resource: entry.resource,
      domain_id: entry.domainId ?? null,
      ip_address: entry.ipAddress ?? entry.admin?.ipAddress ?? '127.0.0.1',
      user_agent: entry.userAgent ?? entry.admin?.userAgent ?? '',
      request_id: random.uuidAt(entry.at),
      outcome: entry.outcome ?? 'success',
      details: entry.details ?? {},
      created_at: entry.at,
    }));
  await insertRows(tx, 'audit_entry', rows);
}
