import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '@/server/database/db';
import { connectRedis } from '@/server/redis';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox, unique } from '@/test/factories';
import { emittedEvents, messageCopies, newQueueId } from '@/test/mail/logged-mail';
import { makeRedis } from '@/test/servers/redis';
import { readCursor } from './cursor';
import { createMailReader } from './reader';

let domain: { id: string; name: string };
let host: string;

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  host = `${unique()}.example`;
});

/** `queries`: the database operations that the reader runs. */
async function startReader(copies = messageCopies()) {
  const folder = await mkdtemp(join(tmpdir(), 'mail-log-'));
  const postfixLog = join(folder, 'mail.log');
  const server = await makeRedis();
  await server.start();
  const redis = connectRedis(server.url, { answers: 'back', away: 'away' });
  await expect.poll(() => redis.status).toBe('ready');
  onTestFinished(async () => {
    redis.disconnect();
    await rm(folder, { recursive: true });
  });
  const installation = {
    ports: { smtp: 0, submissions: 0, imaps: 0 },
    probeAddress: '127.0.0.1',
    host,
    postfixLog,
    config: folder,
    settings: join(folder, 'settings'),
    dovecot: '2.3' as const,
    data: folder,
    filterLog: join(folder, 'rspamd.log'),
    policySocket: join(folder, 'policy.sock'),
    reportSocket: join(folder, 'reports.sock'),
    redis: { port: 0, password: '' },
    signIns: { port: 0, key: '' },
    filters: { port: 0, uid: 0 },
    tls: { certificate: '', key: '' },
    acme: null,
  };
  const queries: string[] = [];
  const database = db.$extends({
    query: {
      $allOperations({ operation, args, query }) {
        queries.push(operation);
        return query(args);
      },
    },
  }) as unknown as Database;
  const clock = manualClock(new Date().toISOString());
  const create = () => createMailReader({ db: database, redis, installation, copies, clock });
  return { read: create(), create, server, redis, postfixLog, queries, clock };
}

/** The log lines that Postfix writes for a message delivered to a mailbox. */
function logOf(queueId: string, to = `ann@${domain.name}`): string {
  const [, day, month, , time] = new Date().toUTCString().split(' ');
  const stamp = `${month} ${String(Number(day)).padStart(2)} ${time} mail postfix`;
  return [
    `smtpd[1]: ${queueId}: client=unknown[192.0.2.1]`,
    `cleanup[1]: ${queueId}: message-id=<${queueId}@far.example>`,
    `qmgr[1]: ${queueId}: from=<bo@far.example>, size=500, nrcpt=1 (queue active)`,
    `lmtp[1]: ${queueId}: to=<${to}>, relay=mail[lmtp], delay=0.1, delays=0/0/0/0, dsn=2.0.0, status=sent (250 Ok)`,
    `qmgr[1]: ${queueId}: removed`,
    '',
  ]
    .map((line) => line && `${stamp}/${line}`)
    .join('\n');
}

const received = async () => (await emittedEvents(domain.id, 'mail.received')).map(({ id }) => id);

describe('the reader', () => {
  it('merges the log with the filter’s entries, and removes these from the stream', async () => {
    const { read, redis, postfixLog } = await startReader();
    const queueId = newQueueId();
    const meta = { queue_id: queueId, message_id: 'x', ip: '', from: '', recipients: [], action: 'no action' };
    const whole = JSON.stringify({ ...meta, score: 3, subject: 'x', size: 9, is_whole: true });
    await redis.xadd('postroom:inbound', '*', 'meta', whole, 'raw', 'Subject: Joined\r\n\r\nx');
    await redis.xadd('postroom:inbound', '*', 'meta', '{"queue_id": broken', 'raw', 'x');
    await writeFile(postfixLog, logOf(queueId));
    await read();
    expect((await emittedEvents(domain.id))[0]?.data).toMatchObject({ subject: 'Joined', queue_id: queueId });
    expect(await redis.xlen('postroom:inbound')).toBe(0);
  });

  const submissionLog = (queueId: string) => {
    const signedIn = `client=unknown[192.0.2.1], sasl_method=PLAIN, sasl_username=ann@${domain.name}`;
    return logOf(queueId).replace('client=unknown[192.0.2.1]', signedIn);
  };

  it('finds a delivery that the log doesn’t show in the mailbox, once', async () => {
    const [inMailbox, nowhere] = [newQueueId(), newQueueId()];
    const searched: string[] = [];
    const fetch = async (mailbox: string, queueId: string) => {
      searched.push(`${mailbox} ${queueId}`);
      return queueId === inMailbox ? Buffer.from('Subject: Joined') : null;
    };
    const { read, redis, postfixLog, clock } = await startReader(messageCopies({ fetch }));
    await makeAlias(domain.id, 'office', `ann@${domain.name}`);
    for (const [queueId, local] of [
      [inMailbox, 'office'],
      [nowhere, 'ann'],
    ]) {
      const meta = { queue_id: queueId, message_id: 'x', ip: '', from: '', recipients: [`${local}@${domain.name}`] };
      const whole = JSON.stringify({ ...meta, action: 'no action', score: 3, subject: 'x', size: 9, is_whole: true });
      await redis.xadd('postroom:inbound', '*', 'meta', whole, 'raw', 'Subject: Joined\r\n\r\nx');
    }
    const logs = [inMailbox, nowhere].map((queueId) => logOf(queueId).replace(/.*lmtp.*\n/, ''));
    await writeFile(postfixLog, logs.join(''));
    await read();
    for (let run = 1; run <= 3; run++) {
      clock.advance(10);
      await read();
    }
    expect(searched.toSorted()).toEqual([inMailbox, nowhere].map((id) => `ann@${domain.name} ${id}`).toSorted());
    const events = await emittedEvents(domain.id, 'mail.received');
    expect(events.map(({ data }) => data)).toMatchObject([{ queue_id: inMailbox, to: `ann@${domain.name}` }]);
  });

  it('waits for the filter’s entry about a submission of a mailbox while the stream is unavailable', async () => {
    const { read, redis, server, postfixLog, clock } = await startReader();
    const queueId = newQueueId();
    await server.kill();
    await writeFile(postfixLog, submissionLog(queueId));
    // The agent may have been away for minutes when it reads the log.
    clock.advance(300);
    await read();
    expect(await emittedEvents(domain.id)).toEqual([]);
    await server.start();
    await expect.poll(() => redis.status).toBe('ready');
    const to = [`ann@${domain.name}`];
    const meta = {
      queue_id: queueId,
      message_id: 'x',
      ip: '',
      from: '',
      recipients: to,
      action: 'no action',
      score: 0,
    };
    const whole = JSON.stringify({ ...meta, user: `ann@${domain.name}`, subject: 'After the restart', size: 9 });
    await redis.xadd('postroom:inbound', '*', 'meta', whole);
    await read();
    const events = (await emittedEvents(domain.id)).map(({ event, data: { subject, to } }) => ({ event, subject, to }));
    const expected = { subject: 'After the restart', to };
    expect(events.slice(0, 2)).toEqual(['mail.sent', 'mail.delivered'].map((event) => ({ event, ...expected })));
  });

  it('records a submission without the filter’s entry if the stream stays unavailable', async () => {
    const { read, server, postfixLog, clock } = await startReader();
    await server.kill();
    await writeFile(postfixLog, submissionLog(newQueueId()));
    await read();
    expect(await emittedEvents(domain.id)).toEqual([]);
    clock.advance(31);
    await read();
    expect((await emittedEvents(domain.id)).map(({ event }) => event)).toContain('mail.delivered');
  });

  it('skips NUL bytes left by a crash of the host', async () => {
    const { read, postfixLog } = await startReader();
    const [one, two] = [newQueueId(), newQueueId()];
    const cut = logOf(one).replace(`<${one}@far`, `<${one}\0\0\0@far`);
    await writeFile(postfixLog, `${cut}${'\0'.repeat(5000)}${logOf(two)}`);
    await read();
    expect((await received()).toSorted()).toEqual([`<${one}@far.example>`, `<${two}@far.example>`].toSorted());
  });

  it('does not assume that messages were lost after a log file is missing', async () => {
    const { read, postfixLog } = await startReader();
    await writeFile(postfixLog, logOf(newQueueId()));
    await read();
    const source = `${host} log`;
    const longAgo = new Date('2026-01-01T00:00:00Z');
    await db.mailCursor.update({ where: { source }, data: { completeSince: longAgo } });
    await writeFile(`${postfixLog}.new`, logOf(newQueueId()));
    await rename(`${postfixLog}.new`, postfixLog);
    await read();
    expect(await received()).toHaveLength(2);
    const { completeSince } = await db.mailCursor.findUniqueOrThrow({ where: { source } });
    expect(completeSince.getTime()).toBeGreaterThan(longAgo.getTime());
    expect((await readCursor(db, source)).file).not.toBe('');
  });

  it('reports a missing log file once rather than on every run', async () => {
    const { read, postfixLog, queries } = await startReader();
    await writeFile(postfixLog, logOf(newQueueId()));
    await read();
    queries.length = 0;
    await rm(postfixLog);
    for (let run = 1; run <= 3; run++) await read();
    expect(queries.filter((operation) => operation === 'update')).toHaveLength(1);
    await writeFile(postfixLog, logOf(newQueueId()));
    await read();
    expect(await received()).toHaveLength(2);
  });

  it('does not query Postgres without news, except once every few seconds', async () => {
    const { read, create, postfixLog, queries, clock } = await startReader();
    await writeFile(postfixLog, logOf(newQueueId()));
    await read();
    expect(await received()).toHaveLength(1);
    const readAgain = create();
    await readAgain();
    queries.length = 0;
    for (let run = 1; run <= 5; run++) await readAgain();
    expect(queries).toEqual([]);
    clock.advance(3);
    for (let run = 1; run <= 5; run++) await readAgain();
    expect(queries).toHaveLength(1);
  });

  it('reports mail that waits for other recipients in time, even without news', async () => {
    const { read, postfixLog, clock } = await startReader();
    await writeFile(postfixLog, logOf(newQueueId()).replace(/^.*removed\n/m, ''));
    await read();
    expect(await received()).toEqual([]);
    clock.advance(3.9);
    await read();
    expect(await received()).toHaveLength(1);
  });

  it('continues where another reader has read to', async () => {
    const { read, create, postfixLog } = await startReader();
    await writeFile(postfixLog, logOf(newQueueId()));
    await read();
    const other = create();
    await other();
    await appendFile(postfixLog, logOf(newQueueId()));
    await read();
    await appendFile(postfixLog, logOf(newQueueId()));
    await expect(other()).rejects.toThrow('another reader has advanced the cursor');
    await other();
    expect(await received()).toHaveLength(3);
  });
});
