import { beforeEach, describe, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeWebhook } from '@/test/factories';
import { accepted, type FilterFields, messageCopies, reportRun, stored } from '@/test/mail/logged-mail';
import { makeOneMessage, OFFER, type OneMessage, oneMessageIn } from '@/test/mail/one-message';
import { contentOf } from './content';
import { createDeliveryReporter } from './deliveries';

const HEADER = OFFER.slice(0, OFFER.indexOf('\r\n\r\n') + 2);

let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;

beforeEach(async () => {
  mail = await makeOneMessage('ann');
  await makeWebhook({ domainId: mail.domain.id, events: ['mail.received.full'] });
});

const filter = (fields: FilterFields = {}, raw: string | null = OFFER) =>
  mail.filtered({ recipients: [at('ann')], ...fields }, raw);

async function logDelivery(messageId = '<logged@far.example>') {
  const facts = accepted('bo@far.example', { messageId });
  await mail.logged(...facts, stored(at('ann')), { kind: 'removed' });
}

const received = async () => (await mail.emitted('mail.received')).map(({ data }) => data);
const full = async () => (await mail.emitted('mail.received.full')).map(({ data }) => data);

function mailboxHas(parts: { hdr?: string; text?: string }) {
  const fetch = vi.fn(async (_mailbox: string, _queueId: string, part: 'hdr' | 'text') => {
    const text = parts[part];
    return text === undefined ? null : Buffer.from(text);
  });
  return { fetch, report: createDeliveryReporter(db, messageCopies({ fetch })) };
}

describe('the content of a message', () => {
  it('is not fetched if the filter reported the whole message', async () => {
    await filter();
    await logDelivery();
    const { fetch, report } = mailboxHas({});
    await report(reportRun());
    expect(await full()).toMatchObject([{ subject: 'Offer', body_text: expect.stringMatching(/^Good morning/) }]);
    expect(fetch).not.toHaveBeenCalled();
  });

  it('is read from the mailbox if the filter reported only the header', async () => {
    await filter({ is_whole: false }, HEADER);
    await logDelivery();
    const { fetch, report } = mailboxHas({ text: OFFER });
    await report(reportRun());
    expect(await full()).toMatchObject([{ subject: 'Offer', body_text: expect.stringMatching(/^Good morning/) }]);
    expect(fetch.mock.calls).toEqual([[at('ann'), mail.queueId, 'text']]);
  });

  it('is read from the mailbox with its score if the filter reported nothing', async () => {
    await logDelivery();
    const spamd = 'X-Spam: Yes\r\nX-Spamd-Result: default: False [7.25 / 15.00];\r\n\tR_X(1.00)[]\r\n';
    const { report } = mailboxHas({ hdr: spamd + HEADER, text: spamd + OFFER });
    await report(reportRun());
    expect(await full()).toMatchObject([{ subject: 'Offer', spam_score: 7.25, spam_action: 'add header' }]);
    expect(await mail.emitted('mail.spam')).toHaveLength(1);
  });

  it('is reduced to fields from log and filter if the message was deleted from the mailbox', async () => {
    await filter({ is_whole: false, subject: 'From the filter' }, null);
    await logDelivery();
    await mailboxHas({}).report(reportRun());
    expect(await received()).toMatchObject([
      { message_id: '<logged@far.example>', from: 'bo@far.example', subject: 'From the filter' },
    ]);
    expect(await full()).toHaveLength(1);
  });

  it('is retried if it cannot be read, and left out after 5 minutes', async () => {
    await logDelivery();
    const fetch = vi.fn(() => Promise.reject(new Error('Dovecot is unavailable')));
    const report = createDeliveryReporter(db, messageCopies({ fetch }));
    await report(reportRun());
    await report(reportRun());
    expect(fetch).toHaveBeenCalledTimes(1);
    await report(reportRun({ afterMs: 60_000 }));
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(await received()).toEqual([]);
    await report(reportRun({ afterMs: 5 * 60_000 }));
    expect(await received()).toMatchObject([{ message_id: '<logged@far.example>', from: 'bo@far.example' }]);
  });

  it('does not delay other messages if it cannot be read', async () => {
    await logDelivery();
    mail = oneMessageIn(mail.domain);
    await filter();
    await logDelivery();
    const report = createDeliveryReporter(db, messageCopies({ fetch: () => Promise.reject(new Error('no')) }));
    expect(await report(reportRun())).toBe(2);
    expect(await report(reportRun())).toBe(0);
    expect(await received()).toMatchObject([{ queue_id: mail.queueId }]);
  });
});

describe('a message without a filter entry', () => {
  it('waits up to 30 seconds while the stream cannot be read', async () => {
    await logDelivery();
    const { report } = mailboxHas({ hdr: HEADER, text: OFFER });
    await report(reportRun({ isStreamRead: false, afterMs: 29_000 }));
    expect(await received()).toEqual([]);
    await report(reportRun({ isStreamRead: false, afterMs: 31_000 }));
    expect(await received()).toMatchObject([{ subject: 'Offer' }]);
  });

  it('stops waiting once the entry arrives', async () => {
    await logDelivery();
    await filter();
    await mailboxHas({}).report(reportRun({ isStreamRead: false }));
    expect(await received()).toMatchObject([{ subject: 'Offer' }]);
  });

  it('does not wait if it was submitted locally, which the filter does not report', async () => {
    const facts = accepted(at('app'), { login: 'postroom' });
    await mail.logged(...facts, stored(at('ann')), { kind: 'removed' });
    await mailboxHas({ hdr: HEADER, text: OFFER }).report(reportRun({ isStreamRead: false }));
    expect(await received()).toMatchObject([{ subject: 'Offer', to: at('ann') }]);
  });
});

describe('hostile mail', () => {
  const nasty = 'a\0b\ud800c\r\nX-Spam: Yes';

  it.each([
    ['the filter', true],
    ['the filter without a copy', false],
  ])('is reported without NULs and lone surrogates, from %s', async (_case, hasRaw) => {
    const fields = {
      subject: nasty,
      from: `"${nasty}"@far.example`,
      message_id: nasty,
      recipients: [nasty, at('ann')],
    };
    const header = `From: ${nasty}\r\nSubject: ${nasty}\r\nMessage-ID: ${nasty}\r\n\r\n\0`;
    await filter({ ...fields, is_whole: hasRaw }, hasRaw ? header : null);
    await logDelivery('');
    await mailboxHas({}).report(reportRun());
    const [data] = await received();
    expect(data).toMatchObject({ to: at('ann'), message_id: expect.stringMatching(/^<[^<>\0]+>$/) });
    expect(JSON.stringify(data)).not.toMatch(/\\u0000|\\ud800/);
    expect(await db.message.findMany({ where: { queueId: mail.queueId } })).toMatchObject([
      { subject: expect.stringMatching(hasRaw ? /^a b.c$/ : /^ab.c X-Spam: Yes$/) },
    ]);
  });

  it('that was rejected is reported for its managed addresses', async () => {
    await filter({ action: 'reject', recipients: [nasty, `${nasty}@${mail.domain.name}`, '', '@', at('ann')] });
    await createDeliveryReporter(db, messageCopies())(reportRun());
    const reported = (await mail.emitted('mail.spam')).map(({ data }) => data.to);
    expect(reported).toContain(at('ann'));
    expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId, reportedAt: null } })).toBe(0);
  });

  it('to 1,000 addresses is reported for each', async () => {
    const recipients = Array.from({ length: 1000 }, (_, index) => at(`n${index}`));
    await filter({ action: 'reject', recipients });
    await createDeliveryReporter(db, messageCopies())(reportRun());
    expect(await mail.emitted('mail.spam')).toHaveLength(1000);
  });

  it('cannot set its own verdict by header if the filter reported one', async () => {
    const claims = 'X-Spam: Yes\r\nX-Spamd-Result: default: True [99.00 / 15.00];\r\n';
    await filter({ score: 2 }, claims + OFFER);
    await logDelivery();
    await mailboxHas({}).report(reportRun());
    expect(await full()).toMatchObject([{ spam_score: 2, spam_action: 'no action' }]);
  });
});

it('the content of a message is read again after its bytes were given to another thread', async () => {
  const known = { messageId: null, mailFrom: null, verdict: null, raw: new Uint8Array(Buffer.from(OFFER)) };
  const { read } = await contentOf(known, async () => null);
  const first = await read();
  structuredClone(first, { transfer: [first.buffer as ArrayBuffer] });
  expect(first.byteLength).toBe(0);
  expect(Buffer.from(await read()).toString()).toBe(OFFER);
});
