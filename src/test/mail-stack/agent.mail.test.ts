import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { rotateLog } from '@/mail/agent/log-rotation';
import type { Prisma } from '@/server/prisma/client';
import { keyClient } from '../rest';
import { killAgent, withoutAgent } from './agent';
import { makeAlias, makeDomain, makeMailbox, newName, PASSWORD } from './directory';
import { useKey as putKey } from './dkim-keys';
import { signInToImap } from './imap-session';
import { db, mailServer, startOutside } from './mail-server';
import { without } from './services';
import { messageText, openInbound, openSubmission } from './smtp-session';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';
const TOLD_WITHIN_MS = 40_000;
const putOff = new Set<string>();
await startOutside({
  onRecipient: (address) => {
    if (address.startsWith('nobody')) return { code: 550, text: '5.1.1 No such user here' };
    return putOff.has(address) ? { code: 451, text: '4.3.0 Later please' } : undefined;
  },
});
const api = await keyClient();
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  await makeMailbox(domain.id, 'bo');
});

type Told = { event: string; data: Record<string, unknown> };

/** What webhooks are told of the domain, in no order: of each event its data. */
async function told(type?: string): Promise<Told[]> {
  const rows = await db.event.findMany({ where: { domainId: domain.id, type }, select: { body: true } });
  return rows.map(({ body }) => JSON.parse(body ?? '') as Told);
}

const tellsOf = (type: string, count: number) =>
  vi.waitFor(
    async () => {
      const events = await told(type);
      if (events.length < count) throw new Error(`${events.length} of ${count} ${type}`);
      return events;
    },
    { timeout: TOLD_WITHIN_MS, interval: 100 },
  );

async function receive(to: string[], { body = 'Good morning.', subject = newName() } = {}) {
  const session = await openInbound();
  const from = 'Someone <someone@elsewhere.example>';
  return session.send('someone@elsewhere.example', to, messageText({ from, to: to.join(', '), subject, body }));
}

async function traceOf(where: Prisma.MessageWhereInput) {
  const row = await db.message.findFirstOrThrow({ where: { domainId: domain.id, ...where }, select: { id: true } });
  return (await api.get(`/messages/${row.id}`)).data;
}

const typesOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);

describe('mail that the app sends', () => {
  const sendTo = (to: string[], subject = newName()) =>
    api.post('/send', {
      from: { email: at('app') },
      to: to.map((email) => ({ email })),
      subject,
      text_body: 'Good morning.',
    });

  beforeEach(() => putKey(domain.name, 'first'));

  it('is followed from the call to each answer of the other side, with all that the events document', async () => {
    const later = `${newName()}@far.example`;
    putOff.add(later);
    const taken = `${newName()}@far.example`;
    const sent = await sendTo([taken, 'nobody@far.example', later], 'Three answers');
    expect(sent.error ?? null).toBeNull();
    const messageId = sent.data.message_id;
    const [delivered] = await tellsOf('mail.delivered', 1);
    const bounces = await tellsOf('mail.bounced', 2);

    const common = { message_id: messageId, from: at('app'), subject: 'Three answers', domain: domain.name };
    expect(delivered?.data).toMatchObject({
      ...common,
      recipient: taken,
      queue_id: expect.stringMatching(/^\w{10,}$/),
      remote_mta: '127.0.0.1',
      smtp_code: 250,
      smtp_response: expect.stringMatching(/^250 2\.0\.0 Ok: queued as TEST/),
      delay_seconds: expect.any(Number),
    });
    const bounceOf = (recipient: string) => bounces.find(({ data }) => data.recipient === recipient)?.data;
    expect(bounceOf('nobody@far.example')).toMatchObject({
      ...common,
      will_retry: false,
      bounce: {
        type: 'permanent',
        category: 'invalid_recipient',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        diagnostic: '550 5.1.1 No such user here',
        remote_mta: '127.0.0.1',
      },
    });
    expect(bounceOf(later)).toMatchObject({ will_retry: true, bounce: { type: 'temporary', smtp_code: 451 } });

    const trace = await traceOf({ messageId });
    expect(trace).toMatchObject({ status: 'deferred', direction: 'outbound' });
    expect(typesOf(trace).slice(0, 2)).toEqual(['accepted', 'queued']);
    expect(typesOf(trace).slice(2).toSorted()).toEqual(['bounced', 'deferred', 'delivered']);
    expect(await told('mail.sent')).toHaveLength(1);
  });

  it('is told once as put off, however often it is, and delivered when it is taken', async () => {
    const later = `${newName()}@far.example`;
    putOff.add(later);
    const { data } = await sendTo([later]);
    await tellsOf('mail.bounced', 1);
    const { queue_id: queueId } = await traceOf({ messageId: data.message_id });
    const postqueue = (...args: string[]) => execFileSync('postqueue', ['-c', `${mailServer.config}/postfix`, ...args]);
    postqueue('-i', queueId);
    const putOffTwice = () => mailLog().filter((line) => line.includes(queueId) && line.includes('=deferred')).length;
    await expect.poll(putOffTwice, { timeout: 20_000 }).toBe(2);
    putOff.delete(later);
    postqueue('-i', queueId);
    await tellsOf('mail.delivered', 1);
    expect(await told('mail.bounced')).toHaveLength(1);
    expect((await traceOf({ messageId: data.message_id })).status).toBe('delivered');
  });

  it('that an admin deletes from the queue failed', async () => {
    const later = `${newName()}@far.example`;
    putOff.add(later);
    const { data } = await sendTo([later]);
    await tellsOf('mail.bounced', 1);
    const { queue_id: queueId } = await traceOf({ messageId: data.message_id });
    const postsuper = (flag: string) =>
      execFileSync('postsuper', ['-c', `${mailServer.config}/postfix`, flag, queueId], { stdio: 'ignore' });
    postsuper('-h');
    postsuper('-H');
    postsuper('-d');
    const [failed] = await tellsOf('mail.failed', 1);
    expect(failed?.data).toMatchObject({ recipient: later, error: expect.stringMatching(/deleted/) });
    expect(typesOf(await traceOf({ messageId: data.message_id }))).toEqual([
      'accepted',
      'queued',
      'deferred',
      'held',
      'released',
      'failed',
    ]);
  });

  it('that was put off for too long failed', async () => {
    const later = `${newName()}@far.example`;
    putOff.add(later);
    const { data } = await sendTo([later]);
    await tellsOf('mail.bounced', 1);
    const { queue_id: queueId } = await traceOf({ messageId: data.message_id });
    execFileSync('postsuper', ['-c', `${mailServer.config}/postfix`, '-e', queueId], { stdio: 'ignore' });
    execFileSync('postqueue', ['-c', `${mailServer.config}/postfix`, '-i', queueId]);
    const [failed] = await tellsOf('mail.failed', 1);
    expect(failed?.data).toMatchObject({
      recipient: later,
      queue_id: queueId,
      reason: 'expired',
      error: expect.stringContaining('451 4.3.0 Later please'),
    });
    expect((await traceOf({ messageId: data.message_id })).status).toBe('failed');
  });

  it('to a mailbox here is delivered and received', async () => {
    await sendTo([at('ann')], 'To a neighbour');
    const [received] = await tellsOf('mail.received', 1);
    expect(received?.data).toMatchObject({ from: at('app'), to: at('ann'), subject: 'To a neighbour' });
    const [delivered] = await tellsOf('mail.delivered', 1);
    expect(delivered?.data).toMatchObject({ recipient: at('ann'), remote_mta: 'mail.example.test' });
  });

  it('whose answer was lost is settled by the log', async () => {
    const to = `${newName()}@far.example`;
    const { data } = await sendTo([to]);
    await tellsOf('mail.delivered', 1);
    const { id, queue_id: queueId } = await traceOf({ messageId: data.message_id });
    // As it is stored where the connection was lost after the data.
    await db.event.deleteMany({ where: { domainId: domain.id } });
    await db.messageEvent.deleteMany({ where: { messageId: id, type: { not: 'accepted' } } });
    await db.message.update({ where: { id }, data: { status: 'uncertain', queueId: null } });
    await db.messageRecipient.updateMany({ where: { messageId: id }, data: { status: 'uncertain' } });
    await tellsOf('mail.sent', 1);
    expect(await traceOf({ messageId: data.message_id })).toMatchObject({ status: 'sent', queue_id: queueId });
  });
});

describe('mail that a mailbox submits by SMTP', () => {
  beforeEach(() => putKey(domain.name, 'first'));

  async function submit(to: string[], subject = newName()) {
    const session = await openSubmission(at('ann'), PASSWORD);
    return session.send(at('ann'), to, messageText({ from: at('ann'), to: to.join(', '), subject }));
  }

  it('is a message with a trace and events as one of the API is', async () => {
    const [taken, other] = [`${newName()}@far.example`, 'nobody@far.example'];
    expect(await submit([taken, other], 'Grüße')).toMatch(/^250 /);
    await tellsOf('mail.delivered', 1);
    await tellsOf('mail.bounced', 1);
    const [sent] = await told('mail.sent');
    expect(sent?.data).toMatchObject({ from: at('ann'), to: [taken, other], domain: domain.name });
    const trace = await traceOf({ direction: 'outbound' });
    expect(trace).toMatchObject({ status: 'bounced', from: at('ann'), to: [taken, other] });
    expect(typesOf(trace).toSorted()).toEqual(['bounced', 'delivered', 'queued']);
    expect(trace.events[0]).toMatchObject({ type: 'queued', detail: { by: at('ann') } });
  });

  it('counts for the hourly rate, which suspends the mailbox when it is exceeded', async () => {
    await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 2 } });
    try {
      for (const _ of [1, 2]) expect(await submit([`${newName()}@far.example`])).toMatch(/^250 /);
      expect(await submit([`${newName()}@far.example`])).toMatch(/^450 4\.7\.1 .*the limit is 2 an hour.*suspended/);
      const { suspendedAt } = await db.mailbox.findFirstOrThrow({ where: { domainId: domain.id, localPart: 'ann' } });
      expect(suspendedAt).not.toBeNull();
      const alerts = await db.abuseAlert.findMany({ where: { domainId: domain.id } });
      expect(alerts).toMatchObject([{ kind: 'mailbox_suspended', subject: at('ann'), count: 2 }]);
    } finally {
      await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 200 } });
    }
  });

  it('waits with its sender while nobody counts, and what the app sends does not', async () => {
    await withoutAgent(async () => {
      expect(await submit([`${newName()}@far.example`])).toMatch(/^45\d 4\.3\.0 .*not possible just now/);
      const app = await openSubmission('postroom', String(mailServer.settings.APP_PASSWORD));
      const text = messageText({ from: at('app'), to: 'x@far.example', subject: 'x' });
      expect(await app.send(at('app'), ['x@far.example'], text)).toMatch(/^250 /);
    });
    await expect.poll(() => submit([`${newName()}@far.example`]), { timeout: 20_000 }).toMatch(/^250 /);
  });
});

describe('mail that comes in', () => {
  it('is told once for each mailbox that it reached, by whatever ways, with the content for those who ask', async () => {
    await makeAlias(domain.id, 'info', `${at('ann')},${at('bo')}`);
    await makeAlias(domain.id, 'sales', at('ann'));
    const hook = { url: 'https://192.0.2.1/', secret: new Uint8Array(1), createdBy: api.admin.id };
    await db.webhook.create({ data: { ...hook, events: ['mail.received.full'], domainId: domain.id } });
    await receive([at('info'), at('sales'), at('ann')], { subject: 'Offer', body: 'Good morning, all of you.' });
    const received = await tellsOf('mail.received', 2);
    expect(received.map(({ data }) => data.to).toSorted()).toEqual([at('ann'), at('bo')]);
    expect(received[0]?.data).toMatchObject({
      from: 'someone@elsewhere.example',
      subject: 'Offer',
      domain: domain.name,
    });
    const [full, ...others] = await tellsOf('mail.received.full', 1);
    expect(others).toEqual([]);
    expect(full?.data).toMatchObject({
      subject: 'Offer',
      body_text: expect.stringContaining('Good morning, all of you.'),
      envelope: { mail_from: 'someone@elsewhere.example', rcpt_to: expect.arrayContaining([at('info'), at('sales')]) },
      spam_score: expect.any(Number),
      spam_action: 'no action',
    });
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({ status: 'received' });
  });

  it('and is long is read from its mailbox', async () => {
    const hook = { url: 'https://192.0.2.1/', secret: new Uint8Array(1), createdBy: api.admin.id };
    await db.webhook.create({ data: { ...hook, events: ['mail.received.full'], domainId: domain.id } });
    const body = `${`${'x'.repeat(70)}\n`.repeat(45_000)}the end`;
    expect(await receive([at('ann')], { body, subject: 'Long' })).toMatch(/^250 /);
    const [event] = await vi.waitFor(
      async () => {
        const found = await db.event.findMany({ where: { domainId: domain.id, type: 'mail.received.full' } });
        return found.length > 0 ? found : Promise.reject(new Error('nothing yet'));
      },
      { timeout: TOLD_WITHIN_MS },
    );
    const parts = await db.eventPart.findMany({ where: { eventId: event?.id }, orderBy: { position: 'asc' } });
    const { data } = JSON.parse(Buffer.concat(parts.map(({ bytes }) => bytes)).toString()) as Told;
    expect(data.subject).toBe('Long');
    expect(String(data.body_text).length).toBeGreaterThan(3_000_000);
    expect(data.body_text).toMatch(/the end\s*$/);
  });

  it('and is refused as spam is told to each address, and reaches nobody', async () => {
    expect(await receive([at('ann'), at('bo')], { body: GTUBE })).toMatch(/^554 5\.7\.1 /);
    const spam = await tellsOf('mail.spam', 2);
    expect(spam.map(({ data }) => data.to).toSorted()).toEqual([at('ann'), at('bo')]);
    expect(spam[0]?.data).toMatchObject({ from: 'someone@elsewhere.example', spam_score: 15, spam_action: 'reject' });
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({ status: 'spam', spam_score: 15 });
    expect(await told('mail.received')).toEqual([]);
  });

  it('while Redis is away is told of all the same', async () => {
    await without('redis', async () => {
      await receive([at('ann')], { subject: 'Without a stream' });
      expect(await receive([at('bo')], { body: GTUBE })).toMatch(/^554 /);
      const [received] = await tellsOf('mail.received', 1);
      expect(received?.data).toMatchObject({ to: at('ann'), subject: 'Without a stream' });
      const [spam] = await tellsOf('mail.spam', 1);
      expect(spam?.data).toMatchObject({ to: at('bo'), spam_score: 15 });
    });
  });
});

describe('nothing is lost and nothing doubled', () => {
  const COUNT = 60;

  function mailboxes() {
    return signInToImap(at('ann'), PASSWORD);
  }

  it('through crashes of the agent, lost connections to the database and rotations of the log', async () => {
    await putKey(domain.name, 'first');
    const session = await openInbound();
    const [far, others] = [`${newName()}@far.example`, Array.from({ length: COUNT }, (_, index) => `Number ${index}`)];
    for (const [index, subject] of others.entries()) {
      const text = messageText({ from: 'x@elsewhere.example', to: at('ann'), subject });
      expect(await session.send('x@elsewhere.example', [at('ann')], text)).toMatch(/^250 /);
      if (index % 4 === 0) await submitAtLast(far);
      if (index % 20 === 5) killAgent();
      if (index % 20 === 10) await cutConnections();
      if (index % 20 === 15) await rotate();
    }
    await tellsOf('mail.received', COUNT);
    await tellsOf('mail.delivered', COUNT / 4);
    const subjects = (await told('mail.received')).map(({ data }) => data.subject as string);
    expect(subjects.toSorted()).toEqual(others.toSorted());
    for (const type of ['mail.sent', 'mail.delivered']) expect(await told(type)).toHaveLength(COUNT / 4);
    expect((await (await mailboxes()).messages()).length).toBe(COUNT);
  });

  /** While the agent is away, mailboxes are told to try again. */
  async function submitAtLast(to: string) {
    const session = await openSubmission(at('ann'), PASSWORD);
    const text = messageText({ from: at('ann'), to, subject: 'Out' });
    await expect.poll(() => session.send(at('ann'), [to], text), { timeout: 30_000 }).toMatch(/^250 /);
  }

  it('by rotating the log, which removes what was rotated long ago', async () => {
    const log = readInstallation(mailServer.config).postfixLog;
    const [old, young] = [`${log}.20260101-000000`, `${log}.20261120-000000`];
    for (const path of [old, young]) writeFileSync(path, 'Nov 20 00:00:00 mail postfix/qmgr[1]: read before\n');
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    utimesSync(old, daysAgo(15), daysAgo(15));
    utimesSync(young, daysAgo(13), daysAgo(13));
    await rotate();
    expect([old, young].map((path) => existsSync(path))).toEqual([false, true]);
    await receive([at('ann')], { subject: 'In the new file' });
    await tellsOf('mail.received', 1);
    rmSync(young);
  });

  it('of what happens while the agent is away', async () => {
    await putKey(domain.name, 'first');
    const to = `${newName()}@far.example`;
    await withoutAgent(async () => {
      await receive([at('ann')], { subject: 'Meanwhile' });
      const mail = { from: { email: at('app') }, to: [{ email: to }], subject: 'Meanwhile', text_body: 'x' };
      expect((await api.post('/send', mail)).status).toBe(200);
      await rotate();
      await receive([at('bo')], { subject: 'Later' });
    });
    await tellsOf('mail.received', 2);
    await tellsOf('mail.delivered', 1);
    const subjects = (await told('mail.received')).map(({ data }) => data.subject);
    expect(subjects.toSorted()).toEqual(['Later', 'Meanwhile']);
  });
});

/** Those of the app and its agent, this test's among them; the mail server keeps its own. */
async function cutConnections(): Promise<void> {
  await db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename <> 'mta_read' AND pid <> pg_backend_pid()`;
}

/** As the agent does with a long log. */
async function rotate(): Promise<void> {
  await rotateLog(readInstallation(mailServer.config), new Date(), 0);
}

function mailLog(): string[] {
  const log = `${mailServer.data}/log/postfix`;
  return execFileSync('sh', ['-c', `cat ${log}/mail.log*`], { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');
}
