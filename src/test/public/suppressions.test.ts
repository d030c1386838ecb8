import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

type Expected = {
  /** The reason in the request. */
  reason?: string;
  rows?: { email: string; reason: string; detail: string }[];
  /** Messages of the lines that fail. */
  failed?: string[];
  /** Why the file is rejected. */
  error?: string;
};

const FOLDER = `${import.meta.dirname}/suppressions`;
const api = await keyClient({ role: 'admin' });
const names = readdirSync(FOLDER).flatMap((name) => (name.endsWith('.csv') ? [name.slice(0, -4)] : []));

it.each(names)('imports %s.csv, or says why not', async (name) => {
  const { reason, rows = [], failed = [], error }: Expected = JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8'));
  const domain = await makeDomain();
  const csv = readFileSync(`${FOLDER}/${name}.csv`, 'utf8');
  const response = await api.post('/suppressions/import', { domain_id: domain.id, csv, ...(reason && { reason }) });
  if (error) return expect(expectError(response, 400, 'VALIDATION_ERROR').error?.message).toContain(error);
  const messages = response.data.lines.flatMap(({ message }: { message: string | null }) => message ?? []);
  expect(messages).toEqual(failed);
  const select = { email: true, reason: true, detail: true };
  const stored = await db.suppression.findMany({ where: { domainId: domain.id }, select, orderBy: { email: 'asc' } });
  expect(stored).toEqual(rows);
});
