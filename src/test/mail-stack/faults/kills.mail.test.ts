import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { MAIL_SERVICES, type MailService } from '@/lib/mail/operations';
import { readInstallation } from '@/mail/agent/installation';
import { rotateLog } from '@/mail/log/log-rotation';
import { killAgent, signalAgent } from '../support/agent';
import { newName, PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { signInToImap, waitForMessage } from '../support/imap-session';
import { db, mailServer, retryQueue } from '../support/mail-server';
import { findPostgres, type Postgres } from '../support/postgres';
import { killService, restoreServices, signalProgram, signalService } from '../support/services';
import { messageText, openInbound, openSubmission } from '../support/smtp-session';
import {
  at,
  domain,
  remoteServer,
  traceMail,
  type WebhookEvent,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

/** Messages that arrive, and that a mailbox sends, for each fault. */
const [ARRIVING, SENT] = [25, 17];
const [RECEIVERS, SENDERS] = [4, 4];
/** Messages that are accepted before the next fault. */
const BEFORE_FAULT = 10;
const HANG_MS = 30_000;
const SLOW_MS = 20_000;
const RETRY_MS = 100;
/** Longer than what hangs. */
const CLIENT_TIMEOUT_MS = 60_000;
const PAUSE_MS = 20;
const SETTLED_WITHIN_MS = 180_000;
const RETRY_QUEUE_MS = 2_000;
const FOLDER = 'Filtered';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await findPostgres();
});
// Else a failure while something hangs would make every later test wait for it.
afterEach(async () => {
  postgres.start();
  postgres.resume();
  await restoreServices();
});

const service = (name: MailService) => () => killService(name);
const killPostgres = async () => {
  await postgres.kill();
  postgres.start();
};
const FAULTS: (() => Promise<void>)[] = [
  killPostgres,
  service('dovecot'),
  killPostgres,
  async () => killAgent(),
  killPostgres,
  service('rspamd'),
  killPostgres,
  hangPostgres,
  rotate,
  service('redis'),
  killPostgres,
  service('postfix'),
  killPostgres,
  async () => killAgent(),
  slowPostgres,
  service('dovecot'),
  killPostgres,
  hangOthers,
  service('redis'),
  killPostgres,
  service('rspamd'),
  killPostgres,
  service('postfix'),
  killPostgres,
  cutConnections,
];

async function hangPostgres(): Promise<void> {
  postgres.suspend();
  await sleep(HANG_MS);
  postgres.resume();
}

/** Every lookup of a mailbox or domain takes this long. */
async function slowPostgres(): Promise<void> {
  const locked = async (tx: Pick<typeof db, '$executeRaw'>) => {
    await tx.$executeRaw`LOCK TABLE mailbox, domain IN ACCESS EXCLUSIVE MODE`;
    await sleep(SLOW_MS);
  };
  await db.$transaction(locked, { timeout: 2 * SLOW_MS });
}

async function hangOthers(): Promise<void> {
  for (const name of MAIL_SERVICES) await signalService(name, 'SIGSTOP');
  signalAgent('SIGSTOP');
  await sleep(HANG_MS);
  await restoreServices();
}

async function rotate(): Promise<void> {
  await rotateLog(readInstallation(mailServer.config), new Date(), 0);
}

/** Cuts the connections of the app, the agent and this test; the mail server keeps its own. */
async function cutConnections(): Promise<void> {
  await db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename <> 'mta_read' AND pid <> pg_backend_pid()`;
}

type Result = { accepted: string[]; maybeRepeated: Set<string> };
type Message = { from: string; to: string; subject: string };
type Session = { send: (from: string, to: string[], text: string) => Promise<string>; quit: () => void };

/** Hands over one message after another, and repeats, in a new session, those that are to be tried later. */
async function handOver(
  open: () => Promise<Session>,
  next: () => Promise<Message | undefined>,
  { accepted, maybeRepeated }: Result,
): Promise<void> {
  let session: Session | null = null;
  for (let message = await next(); message; message = await next()) {
    const { from, to, subject } = message;
    for (let reply = ''; !reply.startsWith('250 '); ) {
      if (reply !== '') await sleep(RETRY_MS);
      try {
        session ??= await inTime(open());
        reply = await inTime(session.send(from, [to], messageText(message)));
      } catch (error) {
        // The reply to a sign-in, or the connection was closed, maybe after the message was accepted.
        reply = (error as Error).message;
        maybeRepeated.add(subject);
      }
      expect(reply, subject).toMatch(/^[24]5\d |^421 |: 454 |closed the connection|socket disconnected|ECONN|no reply/);
      if (reply.startsWith('250 ')) continue;
      session?.quit();
      session = null;
    }
    accepted.push(subject);
  }
  session?.quit();
}

/** Mail programs and servers don't wait forever. */
function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const late = sleep(CLIENT_TIMEOUT_MS, undefined, { ref: false }).then((): never => {
    throw new Error('no reply');
  });
  return Promise.race([work, late]);
}

it('nothing is lost, bounced or reported twice, whatever is killed or hangs while mail goes in and out', async () => {
  await activateKey(domain.name, 'first');
  await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 100_000 } });
  const script = `require ["fileinto", "mailbox"];\nfileinto :create "${FOLDER}";\n`;
  await db.sieveFilter.create({ data: { scope: 'domain', domainId: domain.id, name: newName(), script } });
  const boxes = [at('ann'), at('bo')];
  const [arrived, sent] = [resultOf(), resultOf()];
  let rounds = 0;

  /** Makes `perRound` messages in each round, and none after the last one. */
  const inRounds = (perRound: number, make: (index: number) => Message) => {
    let index = 0;
    return async () => {
      if (index >= perRound * FAULTS.length) return undefined;
      const message = make(index++);
      while (index > perRound * rounds) await sleep(PAUSE_MS);
      return message;
    };
  };
  const nextArriving = inRounds(ARRIVING, (index) => {
    return { from: 'x@elsewhere.example', to: boxes[index % 2] ?? '', subject: `In ${index}` };
  });
  const nextSent = inRounds(SENT, (index) => {
    return { from: at('ann'), to: `out${index}.${domain.name}@far.example`, subject: `Out ${index}` };
  });
  const count = () => arrived.accepted.length + sent.accepted.length;
  const breakThings = async () => {
    for (const fault of FAULTS) {
      rounds += 1;
      const before = count();
      while (count() < before + BEFORE_FAULT) await sleep(PAUSE_MS);
      await fault();
    }
  };
  await Promise.all([
    breakThings(),
    ...Array.from({ length: RECEIVERS }, () => handOver(openInbound, nextArriving, arrived)),
    ...Array.from({ length: SENDERS }, () => handOver(() => openSubmission(at('ann'), PASSWORD), nextSent, sent)),
  ]);

  const allArrived = Array.from({ length: ARRIVING * FAULTS.length }, (_, index) => `In ${index}`);
  const allSent = Array.from({ length: SENT * FAULTS.length }, (_, index) => `Out ${index}`);
  expect(new Set(arrived.accepted)).toEqual(new Set(allArrived));
  expectOnce(await waitForAll('mail.received', allArrived), arrived);
  expectOnce(await waitForAll('mail.delivered', allSent), sent);
  expectOnce(await waitForAll('mail.sent', allSent), sent);
  const bounced = (await webhookEvents()).filter(({ event, data }) => /bounced|failed/.test(event) && !data.will_retry);
  expect(bounced).toEqual([]);
  const recipients = new Set(remoteServer.received.flatMap(({ rcptTo }) => rcptTo));
  expect(allSent.filter((_, index) => !recipients.has(`out${index}.${domain.name}@far.example`))).toEqual([]);
  expect(remoteServer.received.filter(({ mailFrom }) => mailFrom === '')).toEqual([]);
  const filed: (string | undefined)[] = [];
  for (const box of boxes) {
    const imap = await signInToImap(box, PASSWORD);
    expect(await imap.messages('INBOX')).toEqual([]);
    filed.push(...(await imap.messages(FOLDER)).map((text) => /^Subject: (.*)\r$/m.exec(text)?.[1]));
  }
  expect(new Set(filed)).toEqual(new Set(allArrived));
}, 900_000);

it('a delivery whose log line is lost with Postfix’s logger is found in the mailbox', async () => {
  const subject = newName();
  const session = await openInbound();
  await session.recipient(at('ann'));
  // Dovecot has said that the mailbox isn't full, and takes the message only when qmgr can't hear of it any more.
  await signalService('dovecot', 'SIGSTOP');
  await session.command('DATA');
  const text = messageText({ from: 'x@elsewhere.example', to: at('ann'), subject });
  const reply = await session.command(`${text.replaceAll('\n', '\r\n')}\r\n.`);
  const queueId = /queued as (\w+)/.exec(reply)?.[1];
  const { postfixLog } = readInstallation(mailServer.config);
  await expect.poll(() => readFileSync(postfixLog, 'utf8')).toContain(`${queueId}: from=<someone@elsewhere.example>`);
  // Until Postfix has connected to Dovecot, qmgr may not have handed the message over. The first line is of the socket itself.
  const socket = `${mailServer.data}/run/dovecot/lmtp`;
  const connections = () => readFileSync('/proc/net/unix', 'utf8').split(`${socket}\n`).length - 1;
  await expect.poll(connections).toBeGreaterThan(1);
  for (const program of ['postlogd', 'qmgr']) await signalProgram('postfix', program, 'SIGSTOP');
  await signalService('dovecot', 'SIGCONT');
  await waitForMessage(at('ann'), subject);
  await killService('postfix', { losesLog: true });
  expect((await waitForEvents('mail.received', 1))[0]?.data).toMatchObject({ subject, queue_id: queueId });
});

const resultOf = (): Result => ({ accepted: [], maybeRepeated: new Set() });

async function waitForAll(type: string, subjects: string[]): Promise<WebhookEvent[]> {
  let events: WebhookEvent[] = [];
  const missing = async () => {
    // A message that is deferred waits for as long as it has been in the queue, which is minutes here.
    retryQueue();
    events = await webhookEvents(type);
    const found = new Set(events.map(({ data }) => data.subject));
    return subjects.filter((subject) => !found.has(subject));
  };
  await expect.poll(missing, { timeout: SETTLED_WITHIN_MS, interval: RETRY_QUEUE_MS, message: type }).toEqual([]);
  return events;
}

/** Each message is reported once for each copy that was accepted. */
function expectOnce(events: WebhookEvent[], { maybeRepeated }: Result): void {
  const copies = events.map(({ data }) => `${data.queue_id} ${data.subject}`);
  expect(repeatedIn(copies)).toEqual([]);
  const subjects = events.map(({ data }) => String(data.subject));
  expect(repeatedIn(subjects).filter((subject) => !maybeRepeated.has(subject))).toEqual([]);
}

function repeatedIn(list: string[]): string[] {
  return list.filter((one, index) => list.indexOf(one) !== index);
}
