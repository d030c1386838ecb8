import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { makeAlias } from '../support/directory';
import { db } from '../support/mail-server';
import { whileStopped } from '../support/services';
import { at, receive, waitForEvents } from '../support/traced-mail';

// Postfix avoids a failed database for a minute.
const SOON = { timeout: 30_000, interval: 500 };

it('mail is accepted again soon after Postgres is back, and what waited for a mailbox is delivered', async () => {
  await makeAlias((await db.domain.findFirstOrThrow({ orderBy: { createdAt: 'desc' } })).id, 'info', at('ann'));
  const postgres = await findPostgres();
  await whileStopped('dovecot', async () => {
    expect(await receive([at('bo')], { subject: 'Before' })).toMatch(/^250 /);
    postgres.stop();
  });
  // Several attempts, because Postfix has several connections.
  for (let attempt = 0; attempt < 4; attempt++) expect(await receive([at('info')])).toMatch(/^4\d\d /);
  postgres.start();
  await expect.poll(() => receive([at('info')], { subject: 'After' }), SOON).toMatch(/^250 /);
  const received = await waitForEvents('mail.received', 2);
  expect(received.map(({ data }) => data.subject).toSorted()).toEqual(['After', 'Before']);
});

async function findPostgres() {
  const [row] = await db.$queryRaw<{ folder: string }[]>`SELECT current_setting('data_directory') AS folder`;
  if (!row) throw new Error('no data directory');
  const [pid] = readFileSync(join(row.folder, 'postmaster.pid'), 'utf8').split('\n');
  const pgCtl = join(dirname(readlinkSync(`/proc/${pid}/exe`)), 'pg_ctl');
  const { uid, gid } = statSync(row.folder);
  // The program and its quoted arguments, with the port.
  const options = readFileSync(join(row.folder, 'postmaster.opts'), 'utf8').trim().replace(/^\S+ /, '');
  const run = (...args: string[]) =>
    execFileSync(pgCtl, ['-D', row.folder, '-w', ...args], { uid, gid, cwd: '/', stdio: 'ignore' });
  return { stop: () => run('stop', '-m', 'fast'), start: () => run('start', '-o', options) };
}
