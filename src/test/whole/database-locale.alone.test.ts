import pg from 'pg';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { processWide } from '@/server/process-wide';
import { checkDatabase, migrate } from '../../../scripts/postgres/database.mjs';
import type { TestServer } from '../database';

const adminUrl = inject('adminUrl');
const admin = new pg.Client(adminUrl);
await admin.connect();
afterAll(() => admin.end());

/** Creates a database with a locale or an encoding of its own. @returns its URL */
async function create(name: string, options: string): Promise<string> {
  await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE 'C' ${options}`);
  return Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
}

const template = `${inject('template')}_en_us`;
await migrate(process.cwd(), await create(template, "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"));
processWide<TestServer>('test server').current = { adminUrl, template };
const { makeAlias, makeDomain, makeMailbox } = await import('../factories');
const { keyClient } = await import('../rest');

describe('with the locale en-US, where punctuation sorts otherwise than in JavaScript', () => {
  const NAMES = ['a', 'a-b', 'a.c', 'a_d', 'aa', 'ab', 'b', 'b.a', 'b_a', 'ba', 'z', '_a', '-a', '~a'];

  it.each([
    ['/mailboxes', 'local_part'],
    ['/aliases', 'source_local_part'],
  ])('a search of %s for a domain returns each row once, in the order of the whole list', async (path, sort) => {
    const api = await keyClient({ role: 'admin' });
    const { id, name } = await makeDomain();
    for (const each of NAMES) {
      await makeMailbox(id, each);
      await makeAlias(id, each, 'ann@far.example');
    }
    for (const order of ['asc', 'desc']) {
      const pageOf = (more: string) => api.get(`${path}?sort=${sort}&order=${order}&domain_id=${id}&${more}`);
      const found: string[] = [];
      for (let cursor = '', isLast = false; !isLast; ) {
        const { data, meta } = await pageOf(`q=%40${name}&limit=2${cursor}`);
        found.push(...data.map((row: Record<string, string>) => row[sort]));
        [cursor, isLast] = [`&cursor=${meta.pagination?.next_cursor}`, !meta.pagination?.has_more];
      }
      const whole = (await pageOf('limit=100')).data.map((row: Record<string, string>) => row[sort]);
      expect(whole).toHaveLength(NAMES.length);
      expect(found).toEqual(whole);
    }
  });
});

describe('a start', () => {
  it.each([
    [
      'another encoding',
      "ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc",
      'a database in UTF8; the one at DATABASE_URL is in SQL_ASCII',
    ],
    [
      'a Turkish locale',
      "LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR'",
      'lowercases “I” to “i”; the one at DATABASE_URL makes it “ı”',
    ],
  ])('with a database of %s says how to create another', async (_, options, problem) => {
    const name = `${template}_refused`;
    const url = await create(name, options);
    onTestFinished(async () => void (await admin.query(`DROP DATABASE ${name}`)));
    const refusal = await checkDatabase(url).catch(({ message }) => message);
    expect(refusal).toContain(problem);
    const [statement = ''] = refusal.match(/CREATE DATABASE .+$/) ?? [];
    await admin.query(`DROP DATABASE ${name}`);
    await admin.query(statement);
    await checkDatabase(url);
  });
});
