import { sign, unsign } from '@/server/secrets/crypto';
import { env } from '@/server/settings/env';

/** Runs a statement with `$1` and so on. */
export type Query = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

const SIGNED = [
  { table: 'audit_head', purpose: 'audit head' },
  { table: 'audit_verified', purpose: 'audit verified' },
  { table: 'audit_archived', purpose: 'audit archived' },
  { table: 'audit_accepted', purpose: 'audit accepted' },
] as const;

/**
 * Signs the places of the log that the database keeps with the first key of SECRET_KEY, so that an old key can be removed.
 * @param formerKeys also tried, after those of SECRET_KEY
 */
export async function signAgain(query: Query, formerKeys: readonly string[] = []): Promise<void> {
  const keys = [...env().secretKeys, ...formerKeys];
  for (const { table, purpose } of SIGNED) {
    const rows = await query<{ signature: string }>(`SELECT signature FROM ${table} WHERE signature IS NOT NULL`, []);
    for (const { signature } of rows) {
      const value = unsign(purpose, signature, keys);
      const current = value === null ? signature : sign(purpose, value);
      if (current !== signature)
        await query(`UPDATE ${table} SET signature = $1 WHERE signature = $2 RETURNING id`, [current, signature]);
    }
  }
}
