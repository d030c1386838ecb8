import { describe, expect, it } from 'vitest';
import type { Message } from '../schema';
import { hopsOf } from './message-hops';
import { explainOutcome } from './explain-outcome';

const at = '2026-11-21T09:41:07.000Z';

function message(over: Partial<Message>): Message {
  return { status: 'failed', created_at: at, events: [], recipients: [], ...over } as Message;
}

function recipient(enhancedCode: string | null): Message['recipients'][number] {
  return {
    address: 'ann@far.example',
    kind: 'to',
    status: 'failed',
    smtp_code: null,
    enhanced_code: enhancedCode,
    response: 'The last word.',
  };
}

function titleOf(type: Message['events'][number]['type'], detail: Message['events'][number]['detail']) {
  return hopsOf(message({ events: [{ type, at, recipient: 'ann@far.example', detail }] }))[0]?.title;
}

describe('what is said of a message', () => {
  it('that was deleted from the queue is not that the mail server gave up', () => {
    expect(explainOutcome(message({ recipients: [recipient(null)] }))).toMatchObject({
      title: 'It was taken out of the queue',
      reply: null,
    });
    expect(titleOf('failed', { enhanced_code: null })).toBe('Taken out of the queue');
    expect(explainOutcome(message({ recipients: [recipient('4.4.7')] }))).toMatchObject({
      title: 'Your mail server gave up',
      reply: 'The last word.',
    });
    expect(titleOf('failed', { enhanced_code: '4.4.7' })).toBe('Given up');
  });

  it('that nobody out there has answered for does not blame its recipient’s server', () => {
    const response = 'connect to 127.0.0.1[127.0.0.1]:2599: Connection refused';
    const waiting = { ...recipient('4.4.1'), status: 'deferred' as const, response };
    expect(explainOutcome(message({ status: 'deferred', recipients: [waiting] }))?.title).toBe(
      '127.0.0.1 takes no connection',
    );
    expect(titleOf('deferred', { smtp_code: null, enhanced_code: '4.4.1', response })).toBe('Not handed over yet');
    expect(titleOf('deferred', { smtp_code: 451, enhanced_code: '4.7.1' })).toBe('Put off by the other side');
  });

  it('that is spam tells refused from held from marked', () => {
    expect(titleOf('spam', { spam_score: 15, spam_action: 'reject' })).toBe('Refused as spam');
    expect(titleOf('spam', { spam_score: 15, spam_action: 'quarantine' })).toBe('Held as spam');
    expect(titleOf('spam', { spam_score: 7, spam_action: 'add header' })).toBe('Marked as spam');
  });

  it('that a mailbox submitted by SMTP is not that it came from the console', () => {
    const wayIn = (detail: Message['events'][number]['detail']) => {
      const [hop] = hopsOf(message({ events: [{ type: 'queued', at, recipient: null, detail }] }));
      return JSON.stringify(hop?.detail);
    };
    expect(wayIn({ by: 'ann@here.example', client: '192.0.2.7', queue_id: 'x' })).toContain('By SMTP from 192.0.2.7');
    expect(wayIn({ by: 'ann@here.example', api_key_id: 'x' })).toContain('With an API key of');
    expect(wayIn({ by: 'ann@here.example' })).toContain('From the console by');
  });
});
