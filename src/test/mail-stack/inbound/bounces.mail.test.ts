import { beforeEach, describe, expect, it } from 'vitest';
import { makeReceivingHere } from '../../dns-records';
import { makeAdmin, makeApiKey } from '../../factories';
import { bounceMail } from '../../mail/bounce-mail';
import { complaintMail } from '../../mail/complaint-mail';
import { makeMailbox, PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { signInToImap } from '../support/imap-session';
import { db } from '../support/mail-server';
import { messageText, openInbound, openSubmission } from '../support/smtp-session';
import {
  api,
  at,
  domain,
  receive,
  remoteAddress,
  remoteServer,
  sendTo,
  submit,
  traceMail,
  traceOf,
  typesOf,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

const SOON = { timeout: 40_000, interval: 200 };

beforeEach(async () => {
  await activateKey(domain.name, 'first');
  await makeReceivingHere(domain);
});

/** Sends a message that the receiving server accepts. @returns its Message-ID and envelope sender */
async function sendAccepted(recipient: string) {
  const before = remoteServer.received.length;
  const { data } = await sendTo([recipient]);
  await expect.poll(() => remoteServer.received.length, SOON).toBe(before + 1);
  await waitForEvents('mail.delivered', 1);
  return { messageId: data.message_id, sender: remoteServer.received.at(-1)?.mailFrom ?? '' };
}

async function bounce(to: string, raw: string): Promise<string> {
  const session = await openInbound();
  return session.send('', [to], raw).finally(session.quit);
}

const dropped = async () =>
  (await api.get(`/unread-bounces?domain_id=${domain.id}`)).data.dropped.map(
    ({ reason }: { reason: string }) => reason,
  );
const inbound = () => db.message.findMany({ where: { domainId: domain.id, direction: 'inbound' } });
const logged = () => db.inboundDelivery.count({ where: { reportedAt: null } });

describe('a report that comes through port 25', () => {
  it('makes a message bounced that was delivered, and is no inbound message', async () => {
    const recipient = remoteAddress();
    const { messageId, sender } = await sendAccepted(recipient);
    expect(sender).toMatch(/^bounces\+[0-9a-f]{52}@/);
    expect(sender.split('@')[1]).toBe(domain.name);
    expect(await bounce(sender, bounceMail({ recipient }))).toMatch(/^250 /);
    const [bounced] = await waitForEvents('mail.bounced', 1);
    expect(bounced?.data).toMatchObject({
      recipient,
      late: true,
      bounce: { type: 'permanent', enhanced_code: '5.1.1' },
    });
    const trace = await traceOf({ messageId });
    expect(trace).toMatchObject({ status: 'bounced', recipients: [{ cause: 'bounce_report', late: true }] });
    expect(typesOf(trace)).toEqual(['accepted', 'queued', 'delivered', 'bounced']);
    expect(await db.suppression.count({ where: { domainId: domain.id, email: recipient } })).toBe(1);
    await expect.poll(logged, SOON).toBe(0);
    expect(await inbound()).toEqual([]);
  });

  it('at the mail host is read as well, and nothing else is accepted there', async () => {
    const recipient = remoteAddress();
    const { messageId, sender } = await sendAccepted(recipient);
    const { host } = await db.mailAgent.findFirstOrThrow();
    expect(await bounce(`${sender.split('@')[0]}@${host}`, bounceMail({ recipient }))).toMatch(/^250 /);
    await waitForEvents('mail.bounced', 1);
    expect(await traceOf({ messageId })).toMatchObject({ status: 'bounced' });
    const session = await openInbound();
    expect(await session.recipient(`bounces@${host}`)).toMatch(/^554 5\.7\.1/);
    expect(await session.recipient(`bounces+${'0'.repeat(51)}@${host}`)).toMatch(/^554 5\.7\.1/);
    session.quit();
  });

  it('with a forged address changes nothing, and nobody gets an answer', async () => {
    const recipient = remoteAddress();
    const { messageId, sender } = await sendAccepted(recipient);
    const before = remoteServer.received.length;
    const forged = sender.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'));
    expect(await bounce(forged, bounceMail({ recipient }))).toMatch(/^250 /);
    await expect.poll(dropped, SOON).toEqual(['forged']);
    expect(await bounce(sender, 'From: x@far.example\nSubject: Sorry\n\nIt did not work.')).toMatch(/^250 /);
    await expect.poll(dropped, SOON).toEqual(['unreadable', 'forged']);
    expect(await traceOf({ messageId })).toMatchObject({ status: 'delivered' });
    expect(remoteServer.received.length).toBe(before);
  });

  it('of this server itself adds nothing to what its log says', async () => {
    const { data } = await sendTo(['nobody@far.example']);
    await waitForEvents('mail.bounced', 1);
    const reports = () => db.inboundDelivery.count({ where: { recipient: { endsWith: `@${domain.name}` } } });
    await expect.poll(reports, SOON).toBe(1);
    await expect.poll(logged, SOON).toBe(0);
    expect(await traceOf({ messageId: data.message_id })).toMatchObject({
      recipients: [{ status: 'bounced', cause: 'remote_reply', late: false }],
    });
    expect(await webhookEvents('mail.bounced')).toHaveLength(1);
    expect(await inbound()).toEqual([]);
    expect(await dropped()).toEqual([]);
  });
});

it('a complaint to the address for feedback loops suppresses the recipient', async () => {
  const recipient = remoteAddress();
  const { messageId, sender } = await sendAccepted(recipient);
  const session = await openInbound();
  const raw = complaintMail({ sender });
  expect(await session.send('feedback@elsewhere.example', [at('complaint-reports')], raw)).toMatch(/^250 /);
  session.quit();
  await waitForEvents('mail.complained', 1);
  expect(typesOf(await traceOf({ messageId }))).toEqual(['accepted', 'queued', 'delivered', 'complained']);
  await expect.poll(async () => (await inbound()).length, SOON).toBe(1);
  expect(await traceOf({ direction: 'inbound' })).toMatchObject({ recipients: [{ route: 'reports' }] });
  const { error } = await sendTo([recipient]);
  expect(error).toMatchObject({ code: 'RECIPIENT_SUPPRESSED', details: { suppressed: [{ reason: 'complaint' }] } });
});

describe('the owner of a mailbox', () => {
  it('gets the bounce of a message that the API sent with its address', async () => {
    await makeMailbox(domain.id, 'app');
    const recipient = remoteAddress();
    const { messageId, sender } = await sendAccepted(recipient);
    await bounce(sender, bounceMail({ recipient }));
    await waitForEvents('mail.received', 1);
    await expect.poll(async () => (await traceOf({ messageId })).status, SOON).toBe('bounced');
    const session = await signInToImap(at('app'), PASSWORD);
    expect(await session.messages()).toHaveLength(1);
  });

  it('can’t send as a bounce address', async () => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const reply = await session.recipient(remoteAddress(), at(`bounces+${'0'.repeat(52)}`));
    expect(reply).toMatch(/^553 5\.7\.1 .*not owned by user/);
  });
});

describe('a message that is sent by SMTP', () => {
  /** Waits until the receiving server has it. @returns its envelope sender there */
  async function senderAt(recipient: string): Promise<string> {
    const copy = () => remoteServer.received.find(({ rcptTo }) => rcptTo.includes(recipient));
    await expect.poll(copy, SOON).toBeDefined();
    await waitForEvents('mail.delivered', 1);
    return copy()?.mailFrom ?? '';
  }

  const mailOf = async (name: string) => (await signInToImap(at(name), PASSWORD)).messages();

  it('by a mailbox becomes bounced by a late report, which its owner gets as well', async () => {
    const recipient = remoteAddress();
    expect(await submit([recipient], 'From ann')).toMatch(/^250 /);
    const sender = await senderAt(recipient);
    expect(sender).toMatch(/^bounces\+[0-9a-f]{52}@/);
    expect(sender.split('@')[1]).toBe(domain.name);
    expect(await bounce(sender, bounceMail({ recipient }))).toMatch(/^250 /);
    const [bounced] = await waitForEvents('mail.bounced', 1);
    expect(bounced?.data).toMatchObject({ recipient, late: true, from: at('ann') });
    const trace = await traceOf({ subject: 'From ann' });
    expect(trace).toMatchObject({
      from: at('ann'),
      status: 'bounced',
      recipients: [{ cause: 'bounce_report', late: true }],
    });
    expect(typesOf(trace)).toEqual(['queued', 'delivered', 'bounced']);
    expect(await db.suppression.count({ where: { domainId: domain.id, email: recipient } })).toBe(1);
    await expect.poll(async () => (await mailOf('ann')).length, SOON).toBe(1);
    expect(await dropped()).toEqual([]);
  });

  it('by an API key, too, and keeps the address that the key gave as its sender', async () => {
    const { key } = await makeApiKey((await makeAdmin()).id);
    const recipient = remoteAddress();
    const session = await openSubmission('apikey', key);
    const text = messageText({ from: at('Shop'), to: recipient, subject: 'From a key' });
    expect(await session.send(at('Shop'), [recipient], text)).toMatch(/^250 /);
    session.quit();
    const sender = await senderAt(recipient);
    expect(sender).toMatch(/^bounces\+[0-9a-f]{52}@/);
    await bounce(sender, bounceMail({ recipient }));
    await waitForEvents('mail.bounced', 1);
    const trace = await traceOf({ subject: 'From a key' });
    expect(trace).toMatchObject({ from: at('Shop'), status: 'bounced', recipients: [{ late: true }] });
    expect(await db.auditEntry.findFirst({ where: { resource: `message:${trace.id}` } })).toMatchObject({
      details: { from: at('Shop') },
    });
  });

  it('to an address that is refused at once bounces to its owner, and is late for nobody', async () => {
    expect(await submit(['nobody@far.example'], 'Refused')).toMatch(/^250 /);
    await waitForEvents('mail.bounced', 1);
    await expect.poll(async () => (await mailOf('ann')).length, SOON).toBe(1);
    await expect.poll(logged, SOON).toBe(0);
    expect(await traceOf({ subject: 'Refused' })).toMatchObject({
      recipients: [{ status: 'bounced', cause: 'remote_reply', late: false }],
    });
    expect(await webhookEvents('mail.bounced')).toHaveLength(1);
    expect(await dropped()).toEqual([]);
  });

  it('to a mailbox of this server is shown there with its author', async () => {
    expect(await submit([at('bo')], 'To bo')).toMatch(/^250 /);
    await waitForEvents('mail.received', 1);
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({ from: at('ann'), to: [at('bo')] });
  });

  it('without an envelope sender leaves without one', async () => {
    const recipient = remoteAddress();
    const session = await openSubmission(at('ann'), PASSWORD);
    const text = messageText({ from: at('ann'), to: recipient, subject: 'Read' });
    expect(await session.send('', [recipient], text)).toMatch(/^250 /);
    session.quit();
    expect(await senderAt(recipient)).toBe('');
  });

  it('keeps its envelope sender where a bounce would not come back', async () => {
    await db.dnsRecord.deleteMany({ where: { domainId: domain.id } });
    const recipient = remoteAddress();
    expect(await submit([recipient])).toMatch(/^250 /);
    expect(await senderAt(recipient)).toBe(at('ann'));
  });
});

it('ordinary mail still arrives, also at a mailbox that is called bounces', async () => {
  await makeMailbox(domain.id, 'bounces');
  expect(await receive([at('bounces'), at('bounces+news')])).toMatch(/^250 /);
  await waitForEvents('mail.received', 1);
});
