import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryReport } from '@/mail/delivery-report';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { ANSWERS, AT, currentState, makeMessage, report } from '@/test/mail/reported-message';
import { keyClient } from '@/test/rest';
import { mailServerCalls } from '../service';

const { onReport } = mailServerCalls(db);
const domain = await makeDomain();
let message: Awaited<ReturnType<typeof makeMessage>>;

beforeEach(async () => {
  message = await makeMessage(domain, 'sent', ['ann@far.example']);
});

describe('a report', () => {
  it('of a delivery emits mail.delivered with the remote server and the delay', async () => {
    expect(await onReport(report(message, 'delivered'))).toBe('recorded');
    const { events, ...rest } = await currentState(message);
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
    await onReport(report(message, kind));
    const { smtpCode, enhancedCode, response } = ANSWERS[kind];
    const { events, status, trace } = await currentState(message);
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
    await onReport(report(message, 'deferred'));
    await onReport(report(message, 'failed'));
    const { events, status, emitted } = await currentState(message);
    expect({ status, emitted }).toEqual({ status: 'failed', emitted: ['mail.bounced', 'mail.failed'] });
    expect(events[1].data).toMatchObject({ reason: 'expired', error: 'Gave up after 5 days' });
  });

  it('appears in the message with its reply and a trace event', async () => {
    await onReport(report(message, 'bounced'));
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
        late: false,
        domain_id: null,
        mailbox_id: null,
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
      const answers = await Promise.all(Array.from({ length: 20 }, () => onReport(report(message, kind))));
      expect(answers.filter((answer) => answer === 'recorded')).toHaveLength(1);
      expect(await currentState(message)).toMatchObject({ status: kind, trace: [kind], emitted: [expect.any(String)] });
    },
  );

  it.each(['delivered', 'bounced', 'failed'] as const)('is ignored after a final %s', async (last) => {
    await onReport(report(message, last));
    const before = await currentState(message);
    for (const kind of ['delivered', 'bounced', 'deferred', 'failed'] as const) {
      expect(await onReport(report(message, kind, { at: new Date() }))).toBe('repeated');
    }
    expect(await currentState(message)).toEqual(before);
  });

  it('finds its message by queue id or Message-ID, and its recipient regardless of case', async () => {
    await onReport(report(message, 'deferred', { queueId: null, recipient: 'Ann@far.example' }));
    await onReport(report(message, 'delivered', { messageId: null }));
    expect((await currentState(message)).emitted).toEqual(['mail.bounced', 'mail.delivered']);
  });

  it('for an unknown message or recipient is dropped', async () => {
    expect(await onReport(report(message, 'delivered', { messageId: '<none@x.example>', queueId: 'none' }))).toBe(
      'unknown',
    );
    expect(await onReport(report(message, 'delivered', { recipient: 'bo@far.example' }))).toBe('unknown');
    expect((await currentState(message)).status).toBe('sent');
  });

  it('about other mail with the same Message-ID changes nothing', async () => {
    expect(await onReport(report(message, 'bounced', { queueId: 'another' }))).toBe('unknown');
    await db.message.updateMany({ where: { id: message.id }, data: { direction: 'inbound' } });
    expect(await onReport(report(message, 'bounced'))).toBe('unknown');
    expect(await currentState(message)).toMatchObject({ status: 'sent', emitted: [] });
  });

  it('with hostile text is stored as one clean line', async () => {
    await onReport(
      report(message, 'bounced', { response: `550 a\r\nb\0c\ud800${'x'.repeat(5000)}`, remoteMta: 'mx\0' }),
    );
    const [recipient] = await db.messageRecipient.findMany({ where: { messageId: message.id } });
    expect(recipient?.response).toMatch(/^550 a b c\ufffdx{900,}$/);
  });

  it('goes only to webhooks for all domains if the domain was deleted', async () => {
    const gone = await makeDomain();
    await db.message.update({ where: { id: message.id }, data: { domainId: gone.id } });
    await db.domain.delete({ where: { id: gone.id } });
    await onReport(report(message, 'delivered'));
    expect((await currentState(message)).events).toMatchObject([{ domainId: gone.id, data: { domain: domain.name } }]);
  });
});

it('a delivery clears the cause of an earlier deferral', async () => {
  const cause = async () => (await db.messageRecipient.findFirstOrThrow({ where: { messageId: message.id } })).cause;
  await onReport(report(message, 'deferred', { cause: 'no_reply' }));
  expect(await cause()).toBe('no_reply');
  await onReport(report(message, 'delivered'));
  expect(await cause()).toBeNull();
});

it.each([
  ['deleted', null, 'deleted'],
  ['expired', '4.4.7', 'expired'],
  ['not_submitted', null, 'not_submitted'],
  ['rejected', '5.3.4', 'message_too_large'],
] as const)('mail.failed for the cause %s has a reason', async (cause, enhancedCode, reason) => {
  await onReport(report(message, 'failed', { cause, enhancedCode }));
  expect((await currentState(message)).events).toMatchObject([{ data: { reason } }]);
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
      message = await makeMessage(domain, 'sent', recipients);
      const due = recipients.flatMap((recipient, index) =>
        kinds[index] === 'sent' ? [] : [report(message, kinds[index] as DeliveryReport['kind'], { recipient })],
      );
      await Promise.all(due.reverse().map(onReport));
      const { status, emitted } = await currentState(message);
      expect({ kinds, status, emitted: emitted.length }).toEqual({ kinds, status: expected, emitted: due.length });
    }
  });
});
