import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox, unique } from '@/test/factories';
import { bounceMail } from '@/test/mail/bounce-mail';
import { currentState, makeMessage } from '@/test/mail/reported-message';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { keyClient } from '@/test/rest';
import { submittedMessageId } from '../mail-log/outbound/submitted';
import { mailServerCalls } from '../service';
import { findAuthors } from './authors';
import { bounceAddress, messageOfBounceAddress } from './bounce-address';
import { deleteOldUnread } from './unread';

const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * 1024 * 1024 });
const api = await keyClient();

let domain: { id: string; name: string };
let message: Awaited<ReturnType<typeof makeMessage>>;

beforeEach(async () => {
  domain = await makeDomain();
  message = await makeMessage(domain, 'delivered', ['ann@far.example']);
});

const address = (id = message.id, name = domain.name) => bounceAddress(id, name);
const report = (raw: string, to = address(), from = '') => sendRaw(raw, to, from);
const shown = async (id = message.id) => (await api.get(`/messages/${id}`)).data;
const unread = async () => (await api.get(`/unread-bounces?domain_id=${domain.id}`)).data;
const dropped = async () =>
  (await unread()).dropped.map(({ reason, count }: { reason: string; count: number }) => [reason, count]);
const suppressions = () => db.suppression.findMany({ where: { domainId: domain.id } });
const inbound = () => db.message.count({ where: { domainId: domain.id, direction: 'inbound' } });

describe('a bounce address', () => {
  it('fits into a local part, and is read in any letter case', () => {
    const made = address();
    expect(made.split('@')[0]?.length).toBeLessThanOrEqual(64);
    expect(messageOfBounceAddress(made)).toBe(message.id);
    expect(messageOfBounceAddress(made.toUpperCase())).toBe(message.id);
  });

  it.each(['bounces@x.example', 'bounces+00@x.example', 'x', '', '@x.example'])('is not %j', (text) => {
    expect(messageOfBounceAddress(text)).toBeNull();
  });
});

it('a bounce address has an author, who is known from the count until the log is read', async () => {
  const { fromAddress } = await db.message.findUniqueOrThrow({ where: { id: message.id } });
  const submitted = submittedMessageId(unique());
  const counted = { address: `ann@${domain.name}`, domainId: domain.id, at: new Date() };
  await db.countedSend.createMany({ data: [submitted, message.id].map((id) => ({ id, ...counted })) });
  const forged = address().replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'));
  const others = [forged, address(uuidv7()), 'ann@far.example', ''];
  const own = [address(), address().toUpperCase()];
  expect(await findAuthors(db, [...own, address(submitted), ...others])).toEqual(
    new Map([...own.map((one) => [one, fromAddress] as const), [address(submitted), counted.address]]),
  );
});

describe('a report that a message bounced after it was delivered', () => {
  it('changes the status, with trace, event and suppression', async () => {
    expect(await report(bounceMail())).toMatch(/^250 /);
    const { status, recipients, trace, events } = await currentState(message);
    expect({ status, recipients, trace }).toEqual({ status: 'bounced', recipients: ['bounced'], trace: ['bounced'] });
    expect(events).toMatchObject([
      {
        event: 'mail.bounced',
        domainId: domain.id,
        data: {
          message_id: message.messageId,
          recipient: 'ann@far.example',
          bounce: { type: 'permanent', category: 'invalid_recipient', smtp_code: 550, enhanced_code: '5.1.1' },
          will_retry: false,
          late: true,
        },
      },
    ]);
    expect(await shown()).toMatchObject({
      recipients: [{ status: 'bounced', cause: 'bounce_report', late: true, response: '550 5.1.1 No such user' }],
      events: [{ type: 'bounced', detail: { cause: 'bounce_report', late: true } }],
    });
    expect(await suppressions()).toMatchObject([
      { email: 'ann@far.example', reason: 'bounce', sourceMessageId: message.id, detail: '550 5.1.1 No such user' },
    ]);
    expect(await dropped()).toEqual([]);
  });

  it('is read without structure, too', async () => {
    const text = 'Hi. This is the qmail-send program.\r\n\r\n<ann@far.example>:\r\n550 5.1.1 Nobody\r\n';
    await report(`From: MAILER-DAEMON@far.example\r\nSubject: failure notice\r\n\r\n${text}`);
    expect((await shown()).recipients).toMatchObject([{ status: 'bounced', late: true, response: '550 5.1.1 Nobody' }]);
    expect(await suppressions()).toMatchObject([{ email: 'ann@far.example' }]);
  });

  it('is counted as bounced in place of delivered', async () => {
    const count = async () => {
      const { totals } = (await api.get(`/analytics?period=30d&domain_id=${domain.id}`)).data;
      return [totals.delivered, totals.bounced];
    };
    await db.message.update({ where: { id: message.id }, data: { createdAt: new Date() } });
    await db.messageRecipient.updateMany({ where: { messageId: message.id }, data: { createdAt: new Date() } });
    expect(await count()).toEqual([1, 0]);
    await report(bounceMail());
    expect(await count()).toEqual([0, 1]);
  });

  it('of a message by SMTP whose log is not read yet comes again, unless it is of this server', async () => {
    const id = submittedMessageId(unique());
    const counted = { id, address: `shop@${domain.name}`, domainId: domain.id, at: new Date() };
    await db.countedSend.create({ data: counted });
    await db.mailCursor.create({ data: { source: `${domain.name} log`, file: '', position: '0' } });
    expect(await report(bounceMail({ reportingMta: domain.name }), address(id))).toMatch(/^250 /);
    await expect(report(bounceMail(), address(id))).rejects.toThrow(/451 /);
    expect(await dropped()).toEqual([]);
    await db.countedSend.update({ where: { id }, data: { at: new Date(Date.now() - 25 * 3_600_000) } });
    expect(await report(bounceMail(), address(id))).toMatch(/^250 /);
    expect(await dropped()).toEqual([['message_deleted', 1]]);
  });

  it('is no inbound message', async () => {
    await report(bounceMail());
    expect(await inbound()).toBe(0);
  });

  it('changes nothing the second time', async () => {
    await report(bounceMail());
    const before = await currentState(message);
    await report(bounceMail({ diagnostic: '550 5.1.1 Still nobody' }));
    await report(bounceMail({ action: 'delayed', status: '4.4.1' }));
    expect(await currentState(message)).toEqual({ ...before, trace: ['bounced', 'delayed'] });
    expect(await suppressions()).toHaveLength(1);
  });

  it('is read in upper case, and before the log shows the delivery', async () => {
    await db.messageRecipient.updateMany({ where: { messageId: message.id }, data: { status: 'sent' } });
    await db.message.update({ where: { id: message.id }, data: { status: 'sent' } });
    await report(bounceMail(), address().toUpperCase());
    expect(await currentState(message)).toMatchObject({ status: 'bounced', recipients: ['bounced'] });
  });

  it.each(['sent', 'deferred'] as const)(
    'doesn’t close a recipient that is %s, if others got the message too',
    async (status) => {
      const both = await makeMessage(domain, status, ['ann@far.example', 'bo@far.example']);
      await db.messageRecipient.updateMany({
        where: { messageId: both.id, address: 'bo@far.example' },
        data: { status: 'delivered' },
      });
      await report(bounceMail(), address(both.id));
      expect(await currentState(both)).toMatchObject({ status, recipients: [status, 'delivered'], emitted: [] });
      await report(bounceMail({ recipient: 'bo@far.example' }), address(both.id));
      expect(await currentState(both)).toMatchObject({ recipients: [status, 'bounced'] });
    },
  );

  it('names the recipient by the address that it was sent to', async () => {
    const raw = bounceMail({ recipient: 'x@inner.far.example' }).replace(
      'Action:',
      'Original-Recipient: rfc822;ANN@far.example\r\nAction:',
    );
    await report(raw);
    expect(await currentState(message)).toMatchObject({ recipients: ['bounced'] });
  });

  it('suppresses nobody if the mailbox is full, or if others got the message too', async () => {
    await report(bounceMail({ status: '5.2.2', diagnostic: '552 5.2.2 Mailbox full' }));
    const both = await makeMessage(domain, 'delivered', ['ann@far.example', 'bo@far.example']);
    await report(bounceMail(), address(both.id));
    expect(await currentState(both)).toMatchObject({ status: 'bounced', recipients: ['bounced', 'delivered'] });
    expect(await suppressions()).toEqual([]);
  });

  it('goes to the sender’s mailbox, too, and to what an alias says', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'shop', `ann@${domain.name}`);
    await report(bounceMail());
    expect(await currentState(message)).toMatchObject({ status: 'bounced' });
    const row = await db.message.findFirstOrThrow({ where: { domainId: domain.id, direction: 'inbound' } });
    expect((await shown(row.id)).recipients).toMatchObject([{ route: 'mailbox', status: 'received' }]);
  });
});

describe('a notice', () => {
  it.each(['delayed', 'relayed'])('that it is %s is in the trace once', async (action) => {
    await report(bounceMail({ action, status: '4.4.1' }));
    await report(bounceMail({ action, status: '4.4.1' }));
    expect(await currentState(message)).toMatchObject({ status: 'delivered', trace: [action], emitted: [] });
    expect((await shown()).events).toMatchObject([
      { recipient: 'ann@far.example', detail: { enhanced_code: '4.4.1' } },
    ]);
    expect(await dropped()).toEqual([]);
  });

  it('of delivery changes nothing', async () => {
    await report(bounceMail({ action: 'delivered', status: '2.0.0' }));
    expect(await currentState(message)).toMatchObject({ status: 'delivered', trace: [] });
  });
});

describe('what changes nothing is counted:', () => {
  const expectUnchanged = async (...counts: [string, number][]) => {
    expect(await currentState(message)).toMatchObject({ status: 'delivered', trace: [], emitted: [] });
    expect(await suppressions()).toEqual([]);
    expect(await dropped()).toEqual(counts);
  };

  it('a forged address', async () => {
    const last = address().at(-domain.name.length - 2);
    const forged = address().replace(`${last}@`, `${last === '0' ? '1' : '0'}@`);
    await report(bounceMail(), forged);
    await report(bounceMail(), forged);
    await expectUnchanged(['forged', 2]);
    expect((await unread()).unread).toEqual([]);
  });

  it('the address of another message', async () => {
    const other = await makeMessage(domain, 'delivered', ['cy@far.example']);
    await report(bounceMail(), address(other.id));
    await expectUnchanged(['other_recipient', 1]);
    expect(await currentState(other)).toMatchObject({ status: 'delivered' });
  });

  it('mail of a person, and automatic answers', async () => {
    const quoted = 'Hi. This is the qmail-send program.\r\n<ann@far.example>:\r\n550 5.1.1 No such user\r\n';
    await report(
      `From: bob@far.example\r\nSubject: Fwd: failure notice\r\n\r\n${quoted}`,
      address(),
      'bob@far.example',
    );
    await report('Subject: A question\r\n\r\nWhere is my order?\r\n', address(), 'ann@far.example');
    await report('Subject: Away\r\nAuto-Submitted: auto-replied\r\n\r\nBack on Monday.\r\n');
    await expectUnchanged(['answer', 3]);
    expect((await unread()).unread).toEqual([]);
  });

  it('what can’t be read, which is kept for a day', async () => {
    const raw = 'Subject: Sorry\r\n\r\nIt did not work.\r\n';
    await report(raw);
    await expectUnchanged(['unreadable', 1]);
    const [kept] = (await unread()).unread;
    expect(kept).toMatchObject({ domain: domain.name, address: address(), size: expect.any(Number) });
    const file = await api.download(`/unread-bounces/${kept.id}/raw`);
    expect(await file.text()).toContain('It did not work.');
    await deleteOldUnread(db, new Date(Date.now() + 25 * 60 * 60 * 1000));
    expect((await unread()).unread).toEqual([]);
    expect(await dropped()).toEqual([['unreadable', 1]]);
  });

  it('the newest of what can’t be read: 100 of a domain, and 1,000 in all', async () => {
    const [other, quiet] = [await makeDomain(), await makeDomain()];
    const now = Date.now();
    const make = (domainId: string, from: number, count: number) =>
      db.unreadBounce.createMany({
        data: Array.from({ length: count }, (_, n) => {
          const receivedAt = new Date(now - from + n);
          return { id: uuidv7(), domainId, address: `junk${n}`, sizeBytes: 1, raw: new Uint8Array(1), receivedAt };
        }),
      });
    const all = () => db.unreadBounce.findMany({ orderBy: { receivedAt: 'asc' } });
    await db.unreadBounce.deleteMany();
    await make(quiet.id, 3_600_000, 1);
    await make(domain.id, 60_000, 100);
    await report('Subject: Confirm your feedback loop\r\n\r\nFollow this link.\r\n');
    const kept = await all();
    expect(kept.map(({ address: name }) => name)).toEqual([
      'junk0',
      ...Array.from({ length: 99 }, (_, n) => `junk${n + 1}`),
      address(),
    ]);
    await make(other.id, 50_000, 1_000);
    await report('Subject: Sorry\r\n\r\nAgain.\r\n');
    expect(await all()).toHaveLength(1_000);
    expect((await all()).some(({ domainId }) => domainId === quiet.id)).toBe(false);
    await db.unreadBounce.deleteMany();
  });

  it('for 30 days after the last one, with the newest 200 in the API', async () => {
    await report('Subject: A question\r\n\r\nWhere is my order?\r\n', address(), 'ann@far.example');
    const at = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000);
    await deleteOldUnread(db, at(29));
    expect(await dropped()).toEqual([['answer', 1]]);
    await deleteOldUnread(db, at(31));
    expect(await dropped()).toEqual([]);
    const reasons = ['forged', 'answer', 'unreadable', 'other_recipient', 'no_message', 'message_deleted'];
    for (let n = 0; n < 34; n++) {
      const { id } = await makeDomain();
      const rows = reasons.map((reason) => ({ domainId: id, reason, count: 1, lastAt: at(0) }));
      await db.droppedBounce.createMany({ data: rows });
    }
    expect((await api.get('/unread-bounces')).data.dropped).toHaveLength(200);
  });

  it('what is about a message that was deleted', async () => {
    await db.message.delete({ where: { id: message.id } });
    await report(bounceMail());
    expect(await dropped()).toEqual([['message_deleted', 1]]);
  });

  it.each([
    ['a report', bounceMail()],
    [
      'a bounce without structure',
      `From: Mailer-Daemon@far.example\r\n\r\n<ann@far.example>:\r\n550 5.1.1 No such user\r\n`,
    ],
  ])('but %s of a server that gives a sender is recorded', async (_kind, raw) => {
    await report(raw, address(), 'mailer-daemon@far.example');
    expect(await currentState(message)).toMatchObject({ status: 'bounced' });
  });

  it.each(['mx\0.far.example', '.', '\0'])('but a report of a server named %j is recorded', async (reportingMta) => {
    expect(await report(bounceMail({ reportingMta }))).toMatch(/^250 /);
    expect(await currentState(message)).toMatchObject({ status: 'bounced' });
  });

  it('not what this server reports itself, which its log has said', async () => {
    const host = `${unique()}.example`;
    const now = new Date();
    await db.mailAgent.create({
      data: { host, instance: crypto.randomUUID(), version: '1', startedAt: now, beatAt: now },
    });
    await report(bounceMail({ reportingMta: host }));
    await db.mailAgent.delete({ where: { host } });
    await db.mailCursor.create({ data: { source: `${host} log`, file: 'a', position: '1' } });
    await report(bounceMail({ reportingMta: `${host.toUpperCase()}.` }));
    await expectUnchanged();
  });
});
