import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeSuppression, unique } from '@/test/factories';
import { AT, makeMessage, report } from '@/test/mail/reported-message';
import { mailServerCalls } from '../service';
import { recordReports } from './outcomes';

const { onReport } = mailServerCalls(db);
const HOUR_MS = 3_600_000;
const DNS_GONE = {
  cause: 'no_reply' as const,
  smtpCode: null,
  enhancedCode: '5.4.4',
  response: 'Host or domain name not found. Name service error for name=gone.example type=A: Host not found',
};

let domain: { id: string; name: string };
let email: string;

beforeEach(async () => {
  domain = await makeDomain();
  email = `ann${unique()}@gone.example`;
});

const suppressions = () => db.suppression.findMany({ where: { domainId: domain.id } });

async function send(hoursLater = 0, to = email) {
  const message = await makeMessage(domain, 'sent', [to]);
  const createdAt = new Date(message.createdAt.getTime() + hoursLater * HOUR_MS);
  await db.message.update({ where: { id: message.id }, data: { createdAt } });
  await db.messageRecipient.updateMany({ where: { messageId: message.id }, data: { createdAt } });
  return { message, at: new Date(AT.getTime() + hoursLater * HOUR_MS) };
}

/** Sends a message and reports its result. */
async function sent(kind: 'bounced' | 'delivered', over: object = {}, hoursLater = 0) {
  const { message, at } = await send(hoursLater);
  expect(await onReport(report(message, kind, { recipient: email, at, ...over }))).toBe('recorded');
  return message;
}

describe('a bounce of an unknown recipient', () => {
  it('suppresses the address for the domain, with the reply and the message', async () => {
    const { id } = await sent('bounced');
    expect(await suppressions()).toMatchObject([
      {
        ...{ email, reason: 'bounce', list: null, sourceMessageId: id, detail: '550 5.1.1 No such user' },
        ...{ createdBy: null, createdAt: AT, expiresAt: null },
      },
    ]);
  });

  it('suppresses an address once that bounces twice in what is read of the log at a time', async () => {
    const sends = [await send(), await send()];
    const reports = sends.map(({ message, at }) => report(message, 'bounced', { recipient: email, at }));
    expect(await db.$transaction((tx) => recordReports(tx, reports))).toEqual(['recorded', 'recorded']);
    expect(await suppressions()).toMatchObject([{ email, reason: 'bounce' }]);
  });

  it('suppresses it once, and again if the suppression has expired', async () => {
    const first = await sent('bounced');
    await sent('bounced', {}, 1);
    expect(await suppressions()).toMatchObject([{ sourceMessageId: first.id }]);
    await db.suppression.updateMany({ where: { domainId: domain.id }, data: { expiresAt: AT } });
    const third = await sent('bounced', {}, 2);
    expect(await suppressions()).toMatchObject([{ sourceMessageId: third.id, expiresAt: null }]);
  });

  it('leaves the suppressions of other domains and reasons as they are', async () => {
    await makeSuppression(null, email);
    await makeSuppression(domain.id, email, { reason: 'complaint' });
    await sent('bounced');
    expect((await suppressions()).map(({ reason }) => reason).toSorted()).toEqual(['bounce', 'complaint']);
    expect(await db.suppression.count({ where: { email } })).toBe(3);
  });

  it.each([
    ['for another reason', { enhancedCode: '5.7.1', response: '550 5.7.1 Spam' }],
    ['of a full mailbox', { enhancedCode: '5.2.2', response: '552 5.2.2 Mailbox full' }],
    [
      'that will be retried',
      { kind: 'deferred', smtpCode: 450, enhancedCode: '4.1.1', response: '450 4.1.1 User unknown' },
    ],
    [
      'that gave up',
      { kind: 'failed', cause: 'expired', smtpCode: 450, enhancedCode: '4.1.1', response: 'User unknown' },
    ],
  ])('suppresses nothing: one %s', async (_, over) => {
    await sent('bounced', over);
    expect(await suppressions()).toEqual([]);
  });

  it('suppresses no address of a managed domain, and nothing for a domain that is gone', async () => {
    email = `nobody@${(await makeDomain()).name}`;
    await sent('bounced');
    expect(await suppressions()).toEqual([]);
    email = `ann${unique()}@gone.example`;
    const { message, at } = await send();
    await db.domain.delete({ where: { id: domain.id } });
    expect(await onReport(report(message, 'bounced', { recipient: email, at }))).toBe('recorded');
    expect(await db.suppression.count({ where: { email } })).toBe(0);
  });
});

describe('a bounce about the domain of the recipient', () => {
  it('suppresses the address if the last message a day before bounced in the same way', async () => {
    await sent('bounced', DNS_GONE);
    await sent('bounced', DNS_GONE, 23);
    expect(await suppressions()).toEqual([]);
    email = email.replace('ann', 'Ann');
    const { id } = await sent('bounced', DNS_GONE, 25);
    expect(await suppressions()).toMatchObject([{ sourceMessageId: id }]);
  });

  it.each([
    [
      'the message before was delivered',
      [
        ['bounced', 0, DNS_GONE],
        ['delivered', 20, {}],
      ],
    ],
    [
      'the message before bounced in another way',
      [['bounced', 0, { enhancedCode: '5.7.1', response: '550 5.7.1 No' }]],
    ],
    ['there is none before', []],
  ] as const)('suppresses nothing if %s', async (_, before) => {
    for (const [kind, hours, over] of before) await sent(kind, over, hours);
    await sent('bounced', DNS_GONE, 48);
    expect(await suppressions()).toEqual([]);
  });
});
