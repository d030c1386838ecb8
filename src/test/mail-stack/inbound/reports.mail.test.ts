import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { dmarcMail, mailWith, tlsMail } from '../../reports/report-mail';
import { whileAgentStopped } from '../support/agent';
import { makeAlias, makeMailbox, PASSWORD } from '../support/directory';
import { signInToImap } from '../support/imap-session';
import { db, mailServer, retryQueue } from '../support/mail-server';
import { openInbound } from '../support/smtp-session';
import {
  api,
  at,
  domain,
  remoteServer,
  traceMail,
  traceOf,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

const SOON = { timeout: 40_000, interval: 200 };

async function send(to: string, text: string): Promise<string> {
  const session = await openInbound();
  return session.send('noreply@elsewhere.example', [to], text).finally(session.quit);
}

const report = (count: number) => dmarcMail({ domain: domain.name, rows: [{ ip: '192.0.2.77', count }] });
const messages = async () => (await api.get(`/domains/${domain.id}/dmarc?period=7d`)).data.totals.messages;
const dropped = async () =>
  (await api.get(`/domains/${domain.id}/dmarc`)).data.dropped.map(({ reason }: { reason: string }) => reason);
const recorded = () => db.message.count({ where: { domainId: domain.id, direction: 'inbound', status: 'received' } });

describe('a report through port 25', () => {
  it('is read without a mailbox, and recorded as mail', async () => {
    expect(await send(at('dmarc-reports'), report(5))).toMatch(/^250 /);
    await expect.poll(messages, SOON).toBe(5);
    expect((await api.get(`/domains/${domain.id}/dmarc?period=7d`)).data.sources).toMatchObject([{ ip: '192.0.2.77' }]);
    await expect.poll(recorded, SOON).toBe(1);
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({
      status: 'received',
      recipients: [{ address: at('dmarc-reports'), route: 'reports' }],
      events: [{ type: 'received', detail: { route: 'reports' } }],
    });
    expect(await webhookEvents()).toEqual([]);
  });

  it('about TLS is read at its own address', async () => {
    expect(await send(at('TLS-Reports'), tlsMail({ domain: domain.name, failures: [{ sessions: 3 }] }))).toMatch(
      /^250 /,
    );
    const failed = async () => (await api.get(`/domains/${domain.id}/tls`)).data.totals.failed_sessions;
    await expect.poll(failed, SOON).toBe(3);
  });

  it('is delivered to the mailbox of that name, and read', async () => {
    await makeMailbox(domain.id, 'dmarc-reports');
    expect(await send(at('dmarc-reports'), report(6))).toMatch(/^250 /);
    await expect.poll(messages, SOON).toBe(6);
    await waitForEvents('mail.received', 1);
    const session = await signInToImap(at('dmarc-reports'), PASSWORD);
    expect(await session.messages()).toHaveLength(1);
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({ recipients: [{ route: 'mailbox' }] });
  });

  it('is read in the mailbox that the domain names, behind an alias', async () => {
    const { id } = await makeMailbox(domain.id, 'ops');
    await makeAlias(domain.id, 'dmarc-reports', at('ops'));
    await db.domain.update({ where: { id: domain.id }, data: { reportMailboxId: id } });
    expect(await send(at('dmarc-reports'), report(7))).toMatch(/^250 /);
    await expect.poll(messages, SOON).toBe(7);
    await waitForEvents('mail.received', 1);
  });

  it('is forwarded unread by an alias to outside', async () => {
    await makeAlias(domain.id, 'dmarc-reports', 'reports@far.example');
    const before = remoteServer.received.length;
    expect(await send(at('dmarc-reports'), report(8))).toMatch(/^250 /);
    await expect.poll(() => remoteServer.received.length, SOON).toBe(before + 1);
    expect(await messages()).toBe(0);
  });

  it('that is garbage is accepted and counted, and nobody gets a bounce', async () => {
    const before = remoteServer.received.length;
    expect(await send(at('dmarc-reports'), mailWith({ type: 'application/zip', content: 'garbage' }))).toMatch(/^250 /);
    await expect.poll(dropped, SOON).toEqual(['malformed']);
    expect(await send(at('dmarc-reports'), dmarcMail({ domain: 'nowhere.example' }))).toMatch(/^250 /);
    await expect.poll(dropped, SOON).toEqual(['foreign_domain', 'malformed']);
    await expect.poll(recorded, SOON).toBe(2);
    expect(remoteServer.received.length).toBe(before);
  });

  it('waits in the queue while the agent is down, and is read once', async () => {
    await whileAgentStopped(async () => {
      expect(await send(at('dmarc-reports'), report(9))).toMatch(/^250 /);
    });
    await expect.poll(messages, SOON).toBe(9);
    await expect.poll(recorded, SOON).toBe(1);
    expect(await dropped()).toEqual([]);
  });

  it('waits in the queue while the agent can’t reach the database, and is read once', async () => {
    await whileDatabaseRefusesAgent(async (query) => {
      expect(await send(at('dmarc-reports'), report(10))).toMatch(/^250 /);
      await expect.poll(() => deferrals(), SOON).toBeGreaterThan(0);
      expect(await query('SELECT FROM dmarc_report WHERE domain_id = $1', [domain.id])).toBe(0);
    });
    // Postfix would retry after a minute.
    retryQueue();
    await expect.poll(messages, SOON).toBe(10);
    await expect.poll(recorded, SOON).toBe(1);
    expect(await dropped()).toEqual([]);
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({
      recipients: [{ route: 'reports', status: 'received' }],
    });
  });
});

/** Lines in Postfix's log about reports of this domain that the agent did not take. */
function deferrals(): number {
  const lines = readFileSync(join(mailServer.data, 'log/postfix/mail.log'), 'utf8').split('\n');
  return lines.filter((line) => line.includes(`to=<${at('dmarc-reports')}>`) && line.includes('said: 451 4.3.0'))
    .length;
}

/** The role of the app and the agent can't connect any more; Postfix's can. */
async function whileDatabaseRefusesAgent(
  work: (query: (text: string, values: unknown[]) => Promise<number>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    await client.query('ALTER ROLE CURRENT_USER NOLOGIN');
    await client.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`);
    await work(async (text, values) => (await client.query(text, values)).rowCount ?? 0);
  } finally {
    await client.query('ALTER ROLE CURRENT_USER LOGIN');
    await client.end();
  }
}
