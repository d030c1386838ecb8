import { beforeEach, describe, expect, it } from 'vitest';
import type { LogFact } from '@/mail/log/log-line';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeMailbox, unique } from '@/test/factories';
import {
  AT,
  accepted,
  delivery,
  type FilterFields,
  lines,
  newQueueId,
  readLines,
  stored,
} from '@/test/mail/logged-mail';
import { makeOneMessage, type OneMessage } from '@/test/mail/one-message';
import { keyClient } from '@/test/rest';
import { bounceAddress } from '../../returned/bounce-address';
import { submittedMessageId } from './submitted';

const api = await keyClient();
let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;

beforeEach(async () => {
  mail = await makeOneMessage('ann');
});

async function submit(fields: FilterFields | null, messageId = `<${unique()}@far.example>`) {
  if (fields) await mail.filtered({ user: at('ann'), from: at('ann'), message_id: messageId, ...fields });
  await mail.logged(...accepted(at('ann'), { login: at('ann'), messageId }));
  return messageId;
}

const logged = (...facts: LogFact[]) => mail.logged(...facts);
const emitted = async () => (await mail.emitted()).map(({ event, data }) => [event, data.recipient ?? data.to]);

async function causes() {
  const found = await db.messageRecipient.findMany({
    where: { message: { queueId: mail.queueId } },
    orderBy: { address: 'asc' },
  });
  return found.map(({ cause }) => cause);
}

async function shown() {
  const { id } = await db.message.findFirstOrThrow({
    where: { queueId: mail.queueId, direction: 'outbound' },
    select: { id: true },
  });
  const { data } = await api.get(`/messages/${id}`);
  const recipients = Object.fromEntries(
    data.recipients.map((recipient: { address: string; status: string }) => [recipient.address, recipient.status]),
  );
  return { ...data, recipients, trace: data.events.map(({ type }: { type: string }) => type) };
}

describe('mail that a mailbox submits by SMTP', () => {
  it('has the recipients and subject from the filter', async () => {
    const recipients = ['x@far.example', 'Y@Far.example', 'x@far.example'];
    const messageId = await submit({ recipients, subject: 'Grüße\r\n\taus\0 \ud800 Bern' });
    expect(await shown()).toMatchObject({
      message_id: messageId,
      from: at('ann'),
      to: ['x@far.example', 'Y@Far.example'],
      subject: 'Grüße aus \ufffd Bern',
      size: 500,
      status: 'sent',
      recipients: { 'x@far.example': 'sent', 'Y@Far.example': 'sent' },
      trace: ['queued'],
    });
    expect(await emitted()).toEqual([['mail.sent', ['x@far.example', 'Y@Far.example']]]);
  });

  it('has a recipient only once if its local part needs quotes, which the filter omits', async () => {
    await submit({ recipients: ['a>, "b\\@far.example', 'x.y@far.example'] });
    await logged(delivery('"a>, \\"b\\\\"@far.example'), delivery('x.y@far.example'));
    expect(await shown()).toMatchObject({
      status: 'delivered',
      recipients: { '"a>, \\"b\\\\"@far.example': 'delivered', 'x.y@far.example': 'delivered' },
    });
  });

  it('is one message, even if it is requeued', async () => {
    await submit({ recipients: ['x@far.example'] });
    await mail.logged({ kind: 'queued', from: at('ann'), sizeBytes: 500 });
    expect(await db.message.count({ where: { queueId: mail.queueId } })).toBe(1);
    expect(await emitted()).toHaveLength(1);
  });

  it('has the recipients from the log if the filter reported none', async () => {
    await submit(null);
    await logged(
      delivery('x@far.example'),
      delivery('y@far.example', { status: 'bounced' }),
      delivery('X@far.example'),
    );
    expect(await shown()).toMatchObject({
      status: 'bounced',
      recipients: { 'x@far.example': 'delivered', 'y@far.example': 'bounced' },
    });
    expect(await emitted()).toEqual([
      ['mail.sent', []],
      ['mail.delivered', 'x@far.example'],
      ['mail.bounced', 'y@far.example'],
    ]);
  });

  it('has the recipients and subject of a filter entry that arrives late', async () => {
    await submit(null);
    await logged(delivery('X@far.example'));
    expect(await shown()).toMatchObject({ to: ['X@far.example'], status: 'delivered' });
    const recipients = ['x@far.example', 'y@far.example'];
    await mail.filtered({ user: at('ann'), from: at('ann'), recipients, subject: 'Late' });
    expect(await shown()).toMatchObject({
      to: ['X@far.example', 'y@far.example'],
      subject: 'Late',
      status: 'sent',
      recipients: { 'X@far.example': 'delivered', 'y@far.example': 'sent' },
    });
    await logged(delivery('y@far.example'));
    expect((await shown()).status).toBe('delivered');
    const delivered = await mail.emitted('mail.delivered');
    expect(delivered.at(-1)?.data).toMatchObject({ to: ['X@far.example', 'y@far.example'], subject: 'Late' });
  });

  const LABELS = { tags: ['kind=receipt', 'team=shop'], metadata: ['{"order": 1042, "a": "Grüße"}'] };
  const READ = { tags: { kind: 'receipt', team: 'shop' }, metadata: { order: 1042, a: 'Grüße' } };

  it('has the tags and metadata from the filter', async () => {
    await submit({ recipients: ['x@far.example'], ...LABELS });
    await logged(delivery('x@far.example'));
    const { id, ...message } = await shown();
    expect(message).toMatchObject(READ);
    expect((await api.get(`/messages?domain_id=${mail.domain.id}&tag=team:shop`)).data).toMatchObject([{ id }]);
    const events = await mail.emitted();
    expect(events.map(({ event }) => event)).toEqual(['mail.sent', 'mail.delivered']);
    for (const { data } of events) expect(data).toMatchObject(READ);
  });

  it('has the tags and metadata of a filter entry that arrives late, also twice', async () => {
    await submit(null);
    for (let time = 0; time < 2; time += 1) {
      await mail.filtered({ user: at('ann'), from: at('ann'), recipients: ['x@far.example'], ...LABELS });
      expect(await shown()).toMatchObject(READ);
    }
    expect(await db.messageTag.count({ where: { message: { queueId: mail.queueId } } })).toBe(2);
    await logged(delivery('x@far.example'));
    expect((await mail.emitted('mail.delivered'))[0]?.data).toMatchObject(READ);
  });

  it.each(['in time', 'late'])(
    'has none from a field that isn’t valid and is reported %s, and says so once',
    async (when) => {
      const fields = { recipients: ['x@far.example'], tags: ['receipt'], metadata: LABELS.metadata };
      await submit(when === 'late' ? null : fields);
      if (when === 'late') await mail.filtered({ user: at('ann'), from: at('ann'), ...fields });
      await mail.filtered({ user: at('ann'), from: at('ann'), ...fields });
      expect(await shown()).toMatchObject({ tags: {}, metadata: READ.metadata });
      expect((await mail.emitted('mail.sent'))[0]?.data).not.toHaveProperty('tags');
      const { data } = await api.get(`/messages/${(await shown()).id}`);
      expect(data.events.filter(({ type }: { type: string }) => type === 'labels_ignored')).toMatchObject([
        { detail: { reason: 'X-Postroom-Tags: Write tags as kind=receipt, team=shop.' } },
      ]);
    },
  );

  it('leaves no recipient open if the filter entry arrives after the message left the queue', async () => {
    await submit(null);
    await logged(delivery('x@far.example'), { kind: 'removed' });
    await mail.filtered({ user: at('ann'), recipients: ['x@far.example', 'y@far.example'], subject: 'Late' });
    expect(await shown()).toMatchObject({ subject: 'Late', status: 'failed' });
    expect(await causes()).toEqual([null, 'unknown']);
  });

  it('tells a reply of the receiving server from an attempt without one', async () => {
    await submit({ recipients: ['x@far.example', 'y@far.example'] });
    await logged(
      delivery('x@far.example', { status: 'deferred' }),
      delivery('y@far.example', { status: 'deferred', smtpCode: null, response: 'connect to mx: Connection refused' }),
    );
    expect(await causes()).toEqual(['remote_reply', 'no_reply']);
  });

  it('emits one event per status, even if the status is repeated', async () => {
    await submit({ recipients: ['x@far.example'] });
    const later = delivery('x@far.example', { status: 'deferred' });
    await logged(later, later);
    await logged(later, delivery('X@far.example'), delivery('x@far.example'));
    expect((await shown()).trace).toEqual(['queued', 'deferred', 'delivered']);
    expect((await emitted()).map(([event]) => event)).toEqual(['mail.sent', 'mail.bounced', 'mail.delivered']);
  });

  it('to an alias with several destinations is delivered once, and stored for each destination', async () => {
    await makeMailbox(mail.domain.id, 'bo');
    await submit({ recipients: [at('all')] });
    const elsewhere = delivery('z@far.example', { addressedTo: at('all') });
    await logged(stored(at('ann'), at('all')), stored(at('bo'), at('all')), elsewhere);
    expect(await shown()).toMatchObject({ status: 'delivered', recipients: { [at('all')]: 'delivered' } });
    expect((await emitted()).map(([event]) => event)).toEqual(['mail.sent', 'mail.delivered']);
    const deliveries = await db.inboundDelivery.findMany({
      where: { queueId: mail.queueId },
      orderBy: { recipient: 'asc' },
    });
    expect(deliveries.map(({ recipient, addressedTo, isForwarded }) => [recipient, addressedTo, isForwarded])).toEqual([
      [at('ann'), at('all'), false],
      [at('bo'), at('all'), false],
      ['z@far.example', at('all'), true],
    ]);
  });

  it('that expires fails once for each recipient without a final status', async () => {
    await submit({ recipients: ['x@far.example', 'y@far.example', 'z@far.example'] });
    await logged(
      delivery('x@far.example'),
      delivery('y@far.example', { status: 'deferred', response: '451 4.3.0 Busy' }),
      delivery('z@far.example', { status: 'deferred' }),
    );
    await logged({ kind: 'expired' }, { kind: 'expired' });
    await logged({ kind: 'expired' }, { kind: 'removed' });
    expect(await shown()).toMatchObject({
      status: 'failed',
      recipients: { 'x@far.example': 'delivered', 'y@far.example': 'failed', 'z@far.example': 'failed' },
    });
    const failed = await mail.emitted('mail.failed');
    expect(failed.map(({ data }) => data)).toMatchObject([
      { recipient: 'y@far.example', reason: 'expired', error: expect.stringMatching(/Last reply: 451 4.3.0 Busy$/) },
      { recipient: 'z@far.example', reason: 'expired' },
    ]);
    expect(await causes()).toEqual([null, 'expired', 'expired']);
  });

  it('that left the queue without a logged result fails with an unknown cause', async () => {
    await submit({ recipients: ['x@far.example', 'y@far.example', 'z@far.example'] });
    await logged(delivery('x@far.example'), delivery('y@far.example', { status: 'deferred' }));
    await logged({ kind: 'removed' }, { kind: 'removed' });
    expect(await shown()).toMatchObject({
      status: 'failed',
      recipients: { 'x@far.example': 'delivered', 'y@far.example': 'failed', 'z@far.example': 'failed' },
    });
    expect(await causes()).toEqual([null, 'unknown', 'unknown']);
    const failed = await mail.emitted('mail.failed');
    expect(failed.map(({ data }) => data)).toMatchObject([
      { recipient: 'y@far.example', reason: 'unknown', error: expect.stringMatching(/may have been delivered/) },
      { recipient: 'z@far.example', reason: 'unknown' },
    ]);
  });

  it('shows hold, release and deletion by an admin in the trace', async () => {
    const messageId = await submit({ recipients: ['x@far.example'] });
    const onHold = async () => {
      const [listed] = (await api.get(`/messages?message_id=${encodeURIComponent(messageId)}`)).data;
      return [listed.on_hold, (await shown()).on_hold];
    };
    expect(await onHold()).toEqual([false, false]);
    await logged({ kind: 'held' });
    expect(await onHold()).toEqual([true, true]);
    await logged({ kind: 'released' });
    expect(await onHold()).toEqual([false, false]);
    await logged({ kind: 'deleted' });
    expect(await shown()).toMatchObject({ status: 'failed', trace: ['queued', 'held', 'released', 'failed'] });
    const [failed] = await mail.emitted('mail.failed');
    expect(failed?.data).toMatchObject({ reason: 'deleted', error: expect.stringMatching(/deleted/) });
    expect(await causes()).toEqual(['deleted']);
  });

  it('shows each hold and release once, even if the log repeats them after a gap', async () => {
    await submit({ recipients: ['x@far.example'] });
    const queueLines = (kind: 'held' | 'released', afterMs: number) =>
      lines(mail.queueId, { kind }).map((line) => ({ ...line, at: new Date(AT.getTime() + afterMs) }));
    await readLines(...queueLines('held', 120));
    await readLines(...queueLines('released', 5_250));
    await readLines(...queueLines('held', 60_010));
    await readLines(...queueLines('held', 999), ...queueLines('released', 5_999), ...queueLines('held', 60_999));
    expect((await shown()).trace).toEqual(['queued', 'held', 'released', 'held']);
  });

  it('is not recorded if the filter rejected it', async () => {
    await mail.filtered({ user: at('ann'), action: 'reject', recipients: ['x@far.example'] });
    const [client, named] = accepted(at('ann'), { login: at('ann') });
    await mail.logged(client as never, named as never, {
      kind: 'rejected',
      enhancedCode: '5.7.1',
      from: at('ann'),
      to: 'x@far.example',
    });
    expect(await db.message.count({ where: { queueId: mail.queueId } })).toBe(0);
    expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId } })).toBe(0);
  });

  it('is not recorded if the user name is not an address', async () => {
    await mail.logged(...accepted('x@far.example', { login: 'root' }), delivery('y@far.example'));
    expect(await db.message.count({ where: { queueId: mail.queueId } })).toBe(0);
  });
});

describe('an API message whose Message-ID is copied by a mailbox', () => {
  const copied = (status: 'submitting' | 'sent' | 'uncertain', ownQueueId: string | null) =>
    db.message.create({
      data: {
        messageId: `<${unique()}@${mail.domain.name}>`,
        queueId: ownQueueId,
        domainId: mail.domain.id,
        direction: 'outbound',
        fromAddress: at('shop'),
        toAddresses: ['x@far.example'],
        subject: 'Yours',
        sizeBytes: 1,
        status,
        recipients: { create: { address: 'x@far.example', kind: 'to', status } },
      },
      include: { recipients: true },
    });

  it.each([
    ['submitting', null],
    ['uncertain', null],
    ['sent', newQueueId()],
  ] as const)('stays %s, whatever happens to the copy', async (status, ownQueueId) => {
    const message = await copied(status, ownQueueId);
    await submit({ recipients: ['x@far.example'] }, message.messageId);
    await logged(delivery('x@far.example', { status: 'deferred' }));
    await logged({ kind: 'expired' }, { kind: 'removed' });
    const after = await db.message.findUniqueOrThrow({ where: { id: message.id }, include: { recipients: true } });
    expect(after).toEqual(message);
    expect(await shown()).toMatchObject({ status: 'failed', message_id: message.messageId, from: at('ann') });
  });

  it('stays unchanged if mail from outside copies it', async () => {
    const message = await copied('uncertain', null);
    await mail.filtered({ message_id: message.messageId, recipients: [at('ann')] });
    const facts = accepted('x@far.example', { messageId: message.messageId });
    await mail.logged(...facts, stored(at('ann')), delivery('x@far.example'), { kind: 'expired' });
    expect(await db.message.findUniqueOrThrow({ where: { id: message.id }, include: { recipients: true } })).toEqual(
      message,
    );
  });
});

describe('mail that an API key submits by SMTP', () => {
  async function submitBy(keyId: string) {
    const login = `${keyId}@apikey`;
    await mail.filtered({
      user: login,
      from: at('shop'),
      message_id: 'x',
      recipients: ['x@far.example'],
      subject: 'Order',
    });
    await mail.logged(...accepted(at('shop'), { login }));
  }

  it('has the key, its admin and the sender in the message, its trace and the audit log', async () => {
    const admin = await makeAdmin();
    const { row: key } = await makeApiKey(admin.id);
    await submitBy(key.id);
    await logged(delivery('x@far.example'));
    const message = await shown();
    expect(message).toMatchObject({
      from: at('shop'),
      domain_id: mail.domain.id,
      subject: 'Order',
      recipients: { 'x@far.example': 'delivered' },
    });
    const detail = { source: 'smtp', by: admin.email, api_key_id: key.id, client: '192.0.2.1' };
    expect(message.events[0]).toMatchObject({ type: 'queued', detail });
    expect(await db.message.findUnique({ where: { id: message.id } })).toMatchObject({ apiKeyId: key.id });
    const resource = `message:${message.id}`;
    expect(await db.auditEntry.findMany({ where: { resource } })).toMatchObject([
      { action: 'message.send', outcome: 'success', adminId: admin.id, apiKeyId: key.id, ipAddress: '192.0.2.1' },
    ]);
  });

  it.each(['the filter', 'the count, if the filter has stored nothing'])(
    'has the sender that the key gave, not its bounce address, from %s',
    async (source) => {
      const { row: key } = await makeApiKey((await makeAdmin()).id);
      const login = `${key.id}@apikey`;
      const id = submittedMessageId(mail.queueId);
      const counted = { id, domainId: mail.domain.id, at: AT };
      if (source === 'the filter')
        await mail.filtered({ user: login, from: at('Shop'), recipients: ['x@far.example'] });
      else await db.countedSend.create({ data: { ...counted, address: at('shop') } });
      await mail.logged(...accepted(bounceAddress(id, mail.domain.name), { login }));
      expect(await shown()).toMatchObject({ from: source === 'the filter' ? at('Shop') : at('shop') });
    },
  );

  it('is recorded although the key was revoked meanwhile', async () => {
    const { row: key } = await makeApiKey((await makeAdmin()).id);
    await db.apiKey.delete({ where: { id: key.id } });
    await submitBy(key.id);
    expect(await shown()).toMatchObject({ from: at('shop'), status: 'sent' });
  });
});
