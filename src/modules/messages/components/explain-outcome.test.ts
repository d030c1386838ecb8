import { describe, expect, it } from 'vitest';
import type { Message } from '../schema';
import { explainOutcome } from './explain-outcome';
import { hopsOf } from './message-hops';

const at = '2026-11-21T09:41:07.000Z';

function message(over: Partial<Message>): Message {
  return {
    status: 'failed',
    from: 'shop@here.example',
    created_at: at,
    events: [],
    recipients: [],
    ...over,
  } as Message;
}

function recipient(enhancedCode: string | null): Message['recipients'][number] {
  return {
    address: 'ann@far.example',
    kind: 'to',
    status: 'failed',
    smtp_code: null,
    enhanced_code: enhancedCode,
    response: 'The last reply.',
  };
}

function titleOf(type: Message['events'][number]['type'], detail: Message['events'][number]['detail']) {
  return hopsOf(message({ events: [{ type, at, recipient: 'ann@far.example', detail }] }))[0]?.title;
}

describe('the explanation and trace of a message', () => {
  it('distinguish deletion from the queue from giving up', () => {
    expect(explainOutcome(message({ recipients: [recipient(null)] }))).toMatchObject({
      title: 'Deleted from the queue',
      reply: null,
    });
    expect(titleOf('failed', { enhanced_code: null })).toBe('Deleted from the queue');
    expect(explainOutcome(message({ recipients: [recipient('4.4.7')] }))).toMatchObject({
      title: 'Your mail server gave up',
      reply: 'The last reply.',
    });
    expect(titleOf('failed', { enhanced_code: '4.4.7' })).toBe('Gave up retrying');
  });

  it('do not blame the receiving server if no server was reached', () => {
    const response = 'connect to 127.0.0.1[127.0.0.1]:2599: Connection refused';
    const waiting = { ...recipient('4.4.1'), status: 'deferred' as const, response };
    expect(explainOutcome(message({ status: 'deferred', recipients: [waiting] }))?.title).toBe(
      '127.0.0.1 refused the connection',
    );
    expect(titleOf('deferred', { smtp_code: null, enhanced_code: '4.4.1', response })).toBe('Delivery attempt failed');
    expect(titleOf('deferred', { smtp_code: 451, enhanced_code: '4.7.1' })).toBe('Deferred by the receiving server');
  });

  it('name the missing mailbox or alias for an address of the sender’s own domain', () => {
    const bounced = { ...recipient('5.1.1'), status: 'bounced' as const };
    const explain = (from: string) =>
      explainOutcome(message({ status: 'bounced', from, recipients: [bounced] }))?.title;
    expect(explain('shop@far.example')).toBe('You have no mailbox or alias for ann@far.example');
    expect(explain('shop@here.example')).toBe('far.example has no such mailbox');
  });

  it('distinguish rejected, quarantined and marked spam', () => {
    expect(titleOf('spam', { spam_score: 15, spam_action: 'reject' })).toBe('Rejected as spam');
    expect(titleOf('spam', { spam_score: 15, spam_action: 'quarantine' })).toBe('Quarantined as spam');
    expect(titleOf('spam', { spam_score: 7, spam_action: 'add header' })).toBe('Marked as spam');
  });

  it('distinguish SMTP, the API and the console as the source', () => {
    const source = (detail: Message['events'][number]['detail']) => {
      const [hop] = hopsOf(message({ events: [{ type: 'queued', at, recipient: null, detail }] }));
      return JSON.stringify(hop?.detail);
    };
    expect(source({ by: 'ann@here.example', client: '192.0.2.7', queue_id: 'x' })).toContain('By SMTP from 192.0.2.7');
    expect(source({ by: 'ann@here.example', api_key_id: 'x' })).toContain('With an API key of');
    expect(source({ by: 'ann@here.example' })).toContain('From the console by');
  });
});
