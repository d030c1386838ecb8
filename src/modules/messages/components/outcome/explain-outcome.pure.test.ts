import { describe, expect, it } from 'vitest';
import { formatClock } from '@/lib/format';
import { MESSAGE_STATUSES, OUTCOME_CAUSES } from '@/lib/mail/outcomes';
import type { Message } from '../../schema';
import { hopsOf } from '../trace/message-hops';
import { explainedRecipients, explainOutcome } from './explain-outcome';

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

type Recipient = Message['recipients'][number];

function recipient(cause: Recipient['cause'], enhancedCode: string | null = null): Recipient {
  return {
    address: 'ann@far.example',
    kind: 'to',
    status: 'failed',
    cause,
    route: null,
    smtp_code: null,
    enhanced_code: enhancedCode,
    response: 'The last reply.',
    late: false,
    domain_id: null,
    mailbox_id: null,
  };
}

function titleOf(type: Message['events'][number]['type'], detail: Message['events'][number]['detail']) {
  return hopsOf(message({ events: [{ type, at, recipient: 'ann@far.example', detail }] }))[0]?.title;
}

const ROUTES = [null, 'mailbox', 'forwarded', 'filter', 'reports'] as const;
const CODES = [null, '4.2.2', '4.7.1', '5.1.1', '5.2.2', '5.7.1', '5.7.26'];

function* outcomes(): Generator<Message> {
  for (const direction of ['outbound', 'inbound'] as const)
    for (const status of MESSAGE_STATUSES)
      for (const cause of [null, ...OUTCOME_CAUSES])
        for (const route of ROUTES)
          for (const code of CODES)
            yield message({ direction, status, recipients: [{ ...recipient(cause, code), status, route }] });
}

describe('every outcome', () => {
  it('has a title and at least two sentences: the cause, and what to do', () => {
    for (const one of outcomes()) {
      const { title, text } = explainOutcome(one);
      const shown = `${JSON.stringify(one.recipients[0])} ${one.direction} ${one.status}: ${title} ${text}`;
      expect(title.length, shown).toBeGreaterThan(3);
      expect(title, shown).not.toMatch(/undefined|null|\.$/);
      expect(text.split(/[.!?](?:\s|$)/).filter(Boolean).length, shown).toBeGreaterThanOrEqual(2);
      expect(text, shown).not.toMatch(/undefined|null/);
    }
  });

  it('never offers to resend a received message, or one that may still be delivered', () => {
    for (const one of outcomes()) {
      const { resend } = explainOutcome(one);
      if (one.direction === 'inbound' || one.status === 'uncertain' || one.status === 'sent') expect(resend).toBeNull();
    }
  });

  it('is explained for a message without recipients too', () => {
    for (const status of MESSAGE_STATUSES) expect(explainOutcome(message({ status })).title).not.toBe('');
  });

  it('says where received mail is', () => {
    const title = (route: Recipient['route'], status: 'received' | 'spam' = 'received') =>
      explainOutcome(message({ direction: 'inbound', status, recipients: [{ ...recipient(null), status, route }] }))
        .title;
    expect(title('mailbox')).toBe('Delivered to the mailbox');
    expect(title('forwarded')).toBe('Forwarded by an alias');
    expect(title('reports')).toBe('Read as a report');
    expect(title('filter', 'spam')).toBe('Stopped by the spam filter');
    expect(title('mailbox', 'spam')).toBe('Marked as spam, and delivered');
  });
});

describe('the explanation and trace of a message', () => {
  it('say that the result is unknown instead of calling it a failure', () => {
    expect(explainOutcome(message({ recipients: [recipient('unknown')] }))).toMatchObject({
      title: 'The result is unknown',
      text: expect.stringContaining('may have been delivered'),
    });
    expect(titleOf('failed', { cause: 'unknown' })).toBe('Left the queue, result unknown');
  });

  it('say that a submission takes unusually long, and when that ends', () => {
    const submitting = (created_at: string) => explainOutcome(message({ status: 'submitting', created_at }));
    expect(submitting(new Date().toISOString()).text).toContain('usually replies within seconds');
    const submittedAt = Date.now() - 3 * 60_000;
    const slow = submitting(new Date(submittedAt).toISOString());
    expect(slow.title).toBe('Still on its way to your mail server');
    const end = formatClock(new Date(submittedAt + 15 * 60_000).toISOString());
    expect(slow.text).toContain(`becomes unconfirmed after ${end} UTC`);
    expect(slow.isWarning).toBe(true);
  });

  it('give the reason why a submission is unconfirmed', () => {
    const reason = 'Postroom stopped before the mail server replied.';
    const uncertain = { type: 'uncertain' as const, at, recipient: null, detail: { reason } };
    expect(explainOutcome(message({ status: 'uncertain', events: [uncertain] })).text).toMatch(
      /^Postroom stopped before the mail server replied\. /,
    );
  });

  it('say that a message on hold waits until it is released', () => {
    const held = message({ status: 'deferred', on_hold: true, recipients: [recipient('no_reply', '4.4.1')] });
    expect(explainOutcome(held)).toMatchObject({ title: 'On hold in the queue', resend: null });
  });

  it('distinguish deletion from the queue from giving up', () => {
    expect(explainOutcome(message({ recipients: [recipient('deleted')] }))).toMatchObject({
      title: 'Deleted from the queue',
      reply: null,
    });
    expect(titleOf('failed', { cause: 'deleted' })).toBe('Deleted from the queue');
    expect(explainOutcome(message({ recipients: [recipient('expired', '4.4.7')] }))).toMatchObject({
      title: 'Your mail server gave up',
      reply: 'The last reply.',
    });
    expect(titleOf('failed', { cause: 'expired', enhanced_code: '4.4.7' })).toBe('Gave up retrying');
  });

  it('say that inbound mail was deleted from the queue, without a resend action', () => {
    const inbound = message({ direction: 'inbound', recipients: [recipient('deleted')] });
    expect(explainOutcome(inbound)).toMatchObject({ title: 'Deleted from the queue', reply: null, resend: null });
  });

  it('distinguish a mail server that rejects the message from one that can’t be reached', () => {
    const explain = (cause: Recipient['cause']) => explainOutcome(message({ recipients: [recipient(cause)] }))?.title;
    expect(explain('rejected')).toBe('Your mail server rejected the message');
    expect(explain('not_submitted')).toBe('Your mail server could not be reached');
    expect(titleOf('refused', { cause: 'rejected' })).toBe('Rejected by your mail server');
    expect(titleOf('refused', { cause: 'not_submitted' })).toBe('Your mail server could not be reached');
  });

  it('say where inbound mail stopped: at a mailbox or where an alias forwards it', () => {
    const cause = 'remote_reply';
    expect(titleOf('bounced', { cause, route: 'mailbox' })).toBe('Rejected by the mailbox');
    expect(titleOf('bounced', { cause, route: 'forwarded' })).toBe('Rejected by the receiving server');
  });

  it('do not blame the receiving server if no server was reached', () => {
    const response = 'connect to 127.0.0.1[127.0.0.1]:2599: Connection refused';
    const waiting = { ...recipient('no_reply', '4.4.1'), status: 'deferred' as const, response };
    expect(explainOutcome(message({ status: 'deferred', recipients: [waiting] }))?.title).toBe(
      '127.0.0.1 refused the connection',
    );
    expect(titleOf('deferred', { cause: 'no_reply', response })).toBe('Delivery attempt failed');
    expect(titleOf('deferred', { cause: 'remote_reply', response })).toBe('Deferred by the receiving server');
    expect(titleOf('bounced', { cause: 'no_reply', response })).toBe('Returned by your mail server');
    const returned = { ...recipient('no_reply', '5.0.0'), status: 'bounced' as const };
    expect(explainOutcome(message({ status: 'bounced', recipients: [returned] }))?.title).toBe(
      'The message could not be delivered to far.example',
    );
  });

  it('name the missing mailbox or alias for an address of any managed domain', () => {
    const bounced = { ...recipient('remote_reply', '5.1.1'), status: 'bounced' as const };
    const explain = (over: Partial<Recipient>) =>
      explainOutcome(message({ status: 'bounced', recipients: [{ ...bounced, ...over }] }));
    expect(explain({}).title).toBe('far.example has no such mailbox');
    expect(explain({ domain_id: 'd' })).toMatchObject({
      title: 'You have no mailbox or alias for ann@far.example',
      missing: { address: 'ann@far.example', domainId: 'd' },
      resend: 'same',
    });
    const created = explain({ domain_id: 'd', mailbox_id: 'm' });
    expect(created).toMatchObject({ mailboxId: 'm', resend: 'same' });
    expect(created.missing).toBeUndefined();
  });

  it('lead to a full mailbox of the mail server’s own', () => {
    const full = { ...recipient('remote_reply', '5.2.2'), status: 'bounced' as const };
    const explain = (over: Partial<Recipient>, direction: Message['direction'] = 'outbound') =>
      explainOutcome(message({ direction, status: 'bounced', recipients: [{ ...full, ...over }] }));
    expect(explain({}).text).toContain('once they delete mail');
    expect(explain({}).mailboxId).toBeUndefined();
    const own = explain({ domain_id: 'd', mailbox_id: 'm' });
    expect(own).toMatchObject({ mailboxId: 'm', resend: 'same' });
    expect(own.text).toContain('Raise its quota');
    expect(explain({ domain_id: 'd', mailbox_id: 'm' }, 'inbound').mailboxId).toBe('m');
  });

  it.each([
    ['550 5.7.1 Service unavailable; Client host [192.0.2.4] blocked using zen.spamhaus.org', 'it is on a blocklist'],
    ['554 5.7.1 [192.0.2.4] is on our blacklist', 'it is on a blocklist'],
    ['550 5.7.1 The server 192.0.2.4 is listed by Abusix', 'it is on a blocklist'],
    ['550 5.7.25 The IP address sending this message does not have a PTR record', 'requires a PTR record'],
    ['450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.4]', 'requires a PTR record'],
  ])('advise what to do on the own mail server: %s', (response, title) => {
    const [, enhanced = ''] = response.split(' ');
    const bounced = { ...recipient('remote_reply', enhanced), status: 'bounced' as const, response };
    const explanation = explainOutcome(message({ status: 'bounced', recipients: [bounced] }));
    expect(explanation.title).toContain(title);
    expect(explanation.resend).toBe('same');
  });

  it.each([
    ['550 5.1.1 ann@far.example: no such user, see the list of addresses at far.example', 'has no such mailbox'],
    ['552 5.3.4 Message size exceeds the fixed limit of blocks', 'too large'],
  ])('do not take other replies for those: %s', (response, title) => {
    const [, enhanced = ''] = response.split(' ');
    const bounced = { ...recipient('remote_reply', enhanced), status: 'bounced' as const, response };
    const explanation = explainOutcome(message({ status: 'bounced', recipients: [bounced] }));
    expect(explanation.title).toContain(title);
    expect(explanation.resend).toBe('other');
  });

  it('distinguish rejected, quarantined and marked spam', () => {
    expect(titleOf('spam', { route: 'filter', spam_score: 15, spam_action: 'reject' })).toBe('Rejected as spam');
    expect(titleOf('spam', { route: 'filter', spam_score: 15, spam_action: 'quarantine' })).toBe('Quarantined as spam');
    expect(titleOf('spam', { spam_score: 7, spam_action: 'add header' })).toBe('Marked as spam');
  });

  it('distinguish SMTP, the API and the console as the source', () => {
    const source = (detail: Message['events'][number]['detail']) => {
      const [hop] = hopsOf(message({ events: [{ type: 'queued', at, recipient: null, detail }] }));
      return JSON.stringify(hop?.detail);
    };
    expect(source({ source: 'smtp', by: 'ann@here.example', client: '192.0.2.7', queue_id: 'x' })).toContain(
      'By SMTP from 192.0.2.7',
    );
    expect(source({ source: 'api_key', by: 'ann@here.example', api_key_id: 'x' })).toContain('With an API key of');
    expect(source({ source: 'console', by: 'ann@here.example' })).toContain('From the console by');
  });
});

describe('the recipients that an explanation is about', () => {
  const to = (address: string, status: Recipient['status']): Recipient => ({
    ...recipient('remote_reply'),
    address,
    status,
  });

  it('are named if others have another status', () => {
    const recipients = [to('ann@far.example', 'delivered'), to('bo@far.example', 'bounced')];
    expect(explainedRecipients(message({ recipients }))).toBe('bo@far.example, of 2 recipients');
    const more = [...recipients, to('cy@far.example', 'bounced')];
    expect(explainedRecipients(message({ recipients: more }))).toBe('bo@far.example and 1 more, of 3 recipients');
  });

  it('are not named if it is about all of them, or about none', () => {
    const bounced = [to('ann@far.example', 'bounced'), to('bo@far.example', 'bounced')];
    expect(explainedRecipients(message({ recipients: bounced }))).toBeNull();
    const sent = [to('ann@far.example', 'sent'), to('bo@far.example', 'delivered')];
    expect(explainedRecipients(message({ recipients: sent }))).toBeNull();
    const uncertain = [to('ann@far.example', 'bounced'), to('bo@far.example', 'uncertain')];
    expect(explainedRecipients(message({ status: 'uncertain', recipients: uncertain }))).toBeNull();
  });
});
