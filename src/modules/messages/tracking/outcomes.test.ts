import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryReport } from '@/mail/delivery-report';
import type { SubmitOutcome } from '@/mail/submission/submit';
import type { MessageStatus } from '@/server/prisma/enums';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { mailServerCalls, recordSubmission } from '../service';

const { onReport } = mailServerCalls(db);
const AT = new Date('2026-11-21T10:00:05.250Z');
const domain = await makeDomain();

const ANSWERS = {
  delivered: { cause: null, smtpCode: 250, enhancedCode: '2.0.0', response: '250 2.0.0 Ok' },
  bounced: { cause: 'remote_reply', smtpCode: 550, enhancedCode: '5.1.1', response: '550 5.1.1 No such user' },
  deferred: { cause: 'remote_reply', smtpCode: 451, enhancedCode: '4.7.1', response: '451 4.7.1 Greylisted' },
  failed: { cause: 'expired', smtpCode: null, enhancedCode: '4.4.7', response: 'Gave up after 5 days' },
} as const;

let message: Awaited<ReturnType<typeof makeMessage>>;

beforeEach(async () => {
  message = await makeMessage('sent', ['ann@far.example']);
});

async function makeMessage(status: MessageStatus, addresses: string[], over: { queueId?: string | null } = {}) {
  const queueId = over.queueId === undefined ? unique() : over.queueId;
  return db.message.create({
    data: {
      messageId: `<${unique()}@${domain.name}>`,
      queueId,
      domainId: domain.id,
      direction: 'outbound',
      fromAddress: `shop@${domain.name}`,
      toAddresses: addresses.slice(0, 1),
      subject: 'Hello',
      sizeBytes: 100,
      status,
      createdAt: new Date('2026-11-21T10:00:00Z'),
      recipients: { create: addresses.map((address) => ({ address, kind: 'to', status })) },
    },
  });
}

function report(kind: DeliveryReport['kind'], over: Partial<DeliveryReport> = {}): DeliveryReport {
  const { messageId, queueId } = message;
  const recipient = 'ann@far.example';
  return { kind, messageId, queueId, recipient, remoteMta: 'mx.far.example', at: AT, ...ANSWERS[kind], ...over };
}

async function currentState(id = message.id) {
  const row = await db.message.findUniqueOrThrow({
    where: { id },
    include: { recipients: { orderBy: { address: 'asc' } }, events: { orderBy: { id: 'asc' } } },
  });
  const emitted = (await db.event.findMany({ orderBy: { id: 'asc' } })).filter(
    ({ body }) => JSON.parse(body ?? '').id === row.messageId,
  );
  return {
    status: row.status,
    queueId: row.queueId,
    recipients: row.recipients.map((recipient) => recipient.status),
    trace: row.events.map(({ type }) => type),
    emitted: emitted.map(({ type }) => type),
    events: emitted.map(({ domainId, body }) => ({ domainId, ...JSON.parse(body ?? '') })),
  };
}

describe('a report', () => {
  it('of a delivery emits mail.delivered with the remote server and the delay', async () => {
    expect(await onReport(report('delivered'))).toBe('recorded');
    const { events, ...rest } = await currentState();
    expect(rest).toMatchObject({
      status: 'delivered',
      recipients: ['delivered'],
      trace: ['delivered'],
      emitted: ['mail.delivered'],
    });
    expect(events).toEqual([
      {
        id: message.messageId,
        event: 'mail.delivered',
        timestamp: AT.toISOString(),
        domainId: domain.id,
        data: {
          message_id: message.messageId,
          from: `shop@${domain.name}`,
          to: ['ann@far.example'],
          recipient: 'ann@far.example',
          subject: 'Hello',
          domain: domain.name,
          queue_id: message.queueId,
          remote_mta: 'mx.far.example',
          smtp_code: 250,
          smtp_response: '250 2.0.0 Ok',
          delay_seconds: 5.25,
        },
      },
    ]);
  });

  it.each([
    ['bounced', 'permanent', 'invalid_recipient', false],
    ['deferred', 'temporary', 'policy', true],
  ] as const)('of kind %s emits mail.bounced of type %s', async (kind, type, category, willRetry) => {
    await onReport(report(kind));
    const { smtpCode, enhancedCode, response } = ANSWERS[kind];
    const { events, status, trace } = await currentState();
    expect({ status, trace }).toEqual({ status: kind, trace: [kind] });
    expect(events).toMatchObject([{ event: 'mail.bounced' }]);
    expect(events[0].data).toMatchObject({
      recipient: 'ann@far.example',
      bounce: {
        type,
        category,
        smtp_code: smtpCode,
        enhanced_code: enhancedCode,
        diagnostic: response,
        remote_mta: 'mx.far.example',
      },
      will_retry: willRetry,
    });
  });

  it('of kind failed emits mail.failed', async () => {
    await onReport(report('deferred'));
    await onReport(report('failed'));
    const { events, status, emitted } = await currentState();
    expect({ status, emitted }).toEqual({ status: 'failed', emitted: ['mail.bounced', 'mail.failed'] });
    expect(events[1].data).toMatchObject({ reason: 'expired', error: 'Gave up after 5 days' });
  });

  it('appears in the message with its reply and a trace event', async () => {
    await onReport(report('bounced'));
    const shown = (await (await keyClient()).get(`/messages/${message.id}`)).data;
    expect(shown.recipients).toEqual([
      {
        address: 'ann@far.example',
        kind: 'to',
        status: 'bounced',
        cause: 'remote_reply',
        route: null,
        smtp_code: 550,
        enhanced_code: '5.1.1',
        response: '550 5.1.1 No such user',
      },
    ]);
    expect(shown.events).toMatchObject([
      {
        type: 'bounced',
        recipient: 'ann@far.example',
        detail: { cause: 'remote_reply', smtp_code: 550, enhanced_code: '5.1.1', remote_mta: 'mx.far.example' },
      },
    ]);
  });

  it.each(['delivered', 'bounced', 'deferred', 'failed'] as const)(
    'of kind %s sent twenty times concurrently is recorded once',
    async (kind) => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => onReport(report(kind))));
      expect(answers.filter((answer) => answer === 'recorded')).toHaveLength(1);
      expect(await currentState()).toMatchObject({ status: kind, trace: [kind], emitted: [expect.any(String)] });
    },
  );

  it.each(['delivered', 'bounced', 'failed'] as const)('is ignored after a final %s', async (last) => {
    await onReport(report(last));
    const before = await currentState();
    for (const kind of ['delivered', 'bounced', 'deferred', 'failed'] as const) {
      expect(await onReport(report(kind, { at: new Date() }))).toBe('repeated');
    }
    expect(await currentState()).toEqual(before);
  });

  it('finds its message by queue id or Message-ID, and its recipient regardless of case', async () => {
    await onReport(report('deferred', { queueId: null, recipient: 'Ann@far.example' }));
    await onReport(report('delivered', { messageId: null }));
    expect((await currentState()).emitted).toEqual(['mail.bounced', 'mail.delivered']);
  });

  it('for an unknown message or recipient is dropped', async () => {
    expect(await onReport(report('delivered', { messageId: '<none@x.example>', queueId: 'none' }))).toBe('unknown');
    expect(await onReport(report('delivered', { recipient: 'bo@far.example' }))).toBe('unknown');
    expect((await currentState()).status).toBe('sent');
  });

  it('about other mail with the same Message-ID changes nothing', async () => {
    expect(await onReport(report('bounced', { queueId: 'another' }))).toBe('unknown');
    await db.message.updateMany({ where: { id: message.id }, data: { direction: 'inbound' } });
    expect(await onReport(report('bounced'))).toBe('unknown');
    expect(await currentState()).toMatchObject({ status: 'sent', emitted: [] });
  });

  it('with hostile text is stored as one clean line', async () => {
    await onReport(report('bounced', { response: `550 a\r\nb\0c\ud800${'x'.repeat(5000)}`, remoteMta: 'mx\0' }));
    const [recipient] = await db.messageRecipient.findMany({ where: { messageId: message.id } });
    expect(recipient?.response).toMatch(/^550 a b c\ufffdx{900,}$/);
  });

  it('goes only to webhooks for all domains if the domain was deleted', async () => {
    const gone = await makeDomain();
    await db.message.update({ where: { id: message.id }, data: { domainId: gone.id } });
    await db.domain.delete({ where: { id: gone.id } });
    await onReport(report('delivered'));
    expect((await currentState()).events).toMatchObject([{ domainId: gone.id, data: { domain: domain.name } }]);
  });
});

it('a delivery clears the cause of an earlier deferral', async () => {
  const cause = async () => (await db.messageRecipient.findFirstOrThrow({ where: { messageId: message.id } })).cause;
  await onReport(report('deferred', { cause: 'no_reply' }));
  expect(await cause()).toBe('no_reply');
  await onReport(report('delivered'));
  expect(await cause()).toBeNull();
});

it.each([
  ['deleted', null, 'deleted'],
  ['expired', '4.4.7', 'expired'],
  ['not_submitted', null, 'not_submitted'],
  ['rejected', '5.3.4', 'message_too_large'],
] as const)('mail.failed for the cause %s has a reason', async (cause, enhancedCode, reason) => {
  await onReport(report('failed', { cause, enhancedCode }));
  expect((await currentState()).events).toMatchObject([{ data: { reason } }]);
});

describe('if the mail server’s clock is behind', () => {
  const behind = new Date(AT.getTime() - 400);
  const trace = async () => {
    const { data } = await (await keyClient()).get(`/messages/${message.id}`);
    return data.events.map(({ type }: { type: string }) => type);
  };
  const submitted = (outcome: SubmitOutcome) =>
    db.$transaction((tx) => recordSubmission(tx, { id: message.id, outcome, at: AT }));

  beforeEach(async () => {
    message = await makeMessage('submitting', ['ann@far.example'], { queueId: null });
  });

  it('results are listed after the queueing', async () => {
    await submitted({ outcome: 'accepted', queueId: 'Q1', response: '250 2.0.0 Ok', refusedRecipients: [] });
    await onReport(report('delivered', { queueId: 'Q1', at: behind }));
    expect(await trace()).toEqual(['queued', 'delivered']);
  });

  it('the queueing is listed after the uncertain submission', async () => {
    await submitted({ outcome: 'uncertain', reason: 'The connection broke.' });
    await onReport(report('delivered', { queueId: 'Q1', at: behind }));
    expect(await trace()).toEqual(['uncertain', 'queued', 'delivered']);
  });
});

describe('the status of a message with several recipients', () => {
  const recipients = ['ann@far.example', 'bo@far.example', 'cy@far.example'];
  const RANK = ['deferred', 'sent', 'bounced', 'failed', 'delivered'] as const;
  const cases = RANK.flatMap((one, at) =>
    RANK.slice(at).flatMap((two, further) => RANK.slice(at + further).map((three) => [one, two, three] as const)),
  );

  it('does not depend on the order of the reports, and emits one event per recipient', async () => {
    for (const kinds of cases) {
      const expected = RANK.find((status) => (kinds as readonly string[]).includes(status));
      message = await makeMessage('sent', recipients);
      const due = recipients.flatMap((recipient, index) =>
        kinds[index] === 'sent' ? [] : [report(kinds[index] as DeliveryReport['kind'], { recipient })],
      );
      await Promise.all(due.reverse().map(onReport));
      const { status, emitted } = await currentState();
      expect({ kinds, status, emitted: emitted.length }).toEqual({ kinds, status: expected, emitted: due.length });
    }
  }, 30_000);
});

describe('a report that arrives before the submission reply is stored', () => {
  const accepted: SubmitOutcome = {
    outcome: 'accepted',
    queueId: 'Q1',
    response: '250 2.0.0 Ok: queued as Q1',
    refusedRecipients: [],
  };
  const submitted = (outcome: SubmitOutcome) =>
    db.$transaction((tx) => recordSubmission(tx, { id: message.id, outcome, at: AT }));

  beforeEach(async () => {
    message = await makeMessage('submitting', ['ann@far.example', 'bo@far.example'], { queueId: null });
  });

  it('is kept, and mail.sent is emitted once, before it', async () => {
    await onReport(report('delivered', { queueId: 'Q1' }));
    await submitted(accepted);
    expect(await currentState()).toMatchObject({
      status: 'sent',
      queueId: 'Q1',
      recipients: ['delivered', 'sent'],
      trace: ['queued', 'delivered'],
      emitted: ['mail.sent', 'mail.delivered'],
    });
  });

  it('has the same result if both are recorded concurrently', async () => {
    for (let round = 0; round < 20; round += 1) {
      message = await makeMessage('submitting', ['ann@far.example', 'bo@far.example'], { queueId: null });
      const kinds = { 'ann@far.example': 'delivered', 'bo@far.example': 'bounced' } as const;
      const reports = Object.entries(kinds).map(([recipient, kind]) => report(kind, { recipient, queueId: 'Q1' }));
      await Promise.all([...reports.map(onReport), submitted(accepted), ...reports.map(onReport)]);
      const { emitted, trace, ...rest } = await currentState();
      expect(rest).toMatchObject({ status: 'bounced', queueId: 'Q1', recipients: ['delivered', 'bounced'] });
      expect([emitted[0], ...emitted.slice(1).sort()]).toEqual(['mail.sent', 'mail.bounced', 'mail.delivered']);
      expect([...trace].sort()).toEqual(['bounced', 'delivered', 'queued']);
    }
  }, 30_000);

  it('is kept if the submission reply is lost', async () => {
    await onReport(report('deferred', { queueId: 'Q1' }));
    await submitted({ outcome: 'uncertain', reason: 'The connection broke.' });
    expect(await currentState()).toMatchObject({ status: 'deferred', queueId: 'Q1', recipients: ['deferred', 'sent'] });
  });

  it('still allows a recipient that the mail server rejected', async () => {
    await onReport(report('delivered', { queueId: 'Q1' }));
    await submitted({ ...accepted, refusedRecipients: [{ address: 'bo@far.example', ...ANSWERS.bounced }] });
    expect(await currentState()).toMatchObject({
      status: 'failed',
      recipients: ['delivered', 'failed'],
      trace: ['queued', 'delivered', 'refused'],
      emitted: ['mail.sent', 'mail.delivered', 'mail.failed'],
    });
    const rejected = await db.messageRecipient.findFirst({ where: { messageId: message.id, status: 'failed' } });
    expect(rejected).toMatchObject({ address: 'bo@far.example', cause: 'rejected' });
  });
});

describe('an uncertain message', () => {
  beforeEach(async () => {
    message = await makeMessage('uncertain', ['ann@far.example', 'bo@far.example'], { queueId: null });
  });

  it('is settled as sent by the first report, with its queue id', async () => {
    await onReport(report('delivered', { queueId: 'Q1' }));
    expect(await currentState()).toMatchObject({
      status: 'sent',
      queueId: 'Q1',
      recipients: ['delivered', 'sent'],
      trace: ['queued', 'delivered'],
      emitted: ['mail.sent', 'mail.delivered'],
    });
    await onReport(report('delivered', { queueId: 'Q1', recipient: 'bo@far.example' }));
    expect(await currentState()).toMatchObject({
      status: 'delivered',
      emitted: ['mail.sent', 'mail.delivered', 'mail.delivered'],
    });
  });
});
