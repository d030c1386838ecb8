import { beforeEach, describe, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeWebhook } from '@/test/factories';
import {
  type FilterFields,
  keptCopies,
  lines,
  newQueueId,
  readFilter,
  readLines,
  stored,
  accepted,
  emittedEvents,
  reportRun,
} from '@/test/mail/logged-mail';
import { createDeliveryReporter } from './deliveries';

const HEADER = 'From: Bo <bo@far.example>\r\nSubject: Offer\r\nMessage-ID: <offer@far.example>\r\n';
const RAW = `${HEADER}\r\nGood morning.\r\n`;

let domain: { id: string; name: string };
let queueId: string;
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  await makeWebhook({ domainId: domain.id, events: ['mail.received.full'] });
  queueId = newQueueId();
});

const filter = (says: FilterFields = {}, raw: string | null = RAW) =>
  readFilter(queueId, { recipients: [at('ann')], ...says }, raw);

async function arrive(messageId = '<logged@far.example>') {
  const facts = accepted('bo@far.example', { messageId });
  await readLines(...lines(queueId, ...facts, stored(at('ann')), { kind: 'removed' }));
}

const received = async () => (await emittedEvents(domain.id, 'mail.received')).map(({ data }) => data);
const full = async () => (await emittedEvents(domain.id, 'mail.received.full')).map(({ data }) => data);

function mailboxHas(parts: { hdr?: string; text?: string }) {
  const fetch = vi.fn(async (_mailbox: string, _queueId: string, part: 'hdr' | 'text') => {
    const text = parts[part];
    return text === undefined ? null : Buffer.from(text);
  });
  return { fetch, tell: createDeliveryReporter(db, keptCopies({ fetch })) };
}

describe('the content of a message', () => {
  it('that the filter told whole is not asked for', async () => {
    await filter();
    await arrive();
    const { fetch, tell } = mailboxHas({});
    await tell(reportRun());
    expect(await full()).toMatchObject([{ subject: 'Offer', body_text: expect.stringMatching(/^Good morning/) }]);
    expect(fetch).not.toHaveBeenCalled();
  });

  it('whose header alone the filter told is read from its mailbox', async () => {
    await filter({ is_whole: false }, HEADER);
    await arrive();
    const { fetch, tell } = mailboxHas({ text: RAW });
    await tell(reportRun());
    expect(await full()).toMatchObject([{ subject: 'Offer', body_text: expect.stringMatching(/^Good morning/) }]);
    expect(fetch.mock.calls).toEqual([[at('ann'), queueId, 'text']]);
  });

  it('of which the filter told nothing is read from its mailbox, with its score', async () => {
    await arrive();
    const spamd = 'X-Spam: Yes\r\nX-Spamd-Result: default: False [7.25 / 15.00];\r\n\tR_X(1.00)[]\r\n';
    const { tell } = mailboxHas({ hdr: spamd + HEADER, text: spamd + RAW });
    await tell(reportRun());
    expect(await full()).toMatchObject([{ subject: 'Offer', spam_score: 7.25, spam_action: 'add header' }]);
    expect(await emittedEvents(domain.id, 'mail.spam')).toHaveLength(1);
  });

  it('that its reader has deleted is told by what the log and the filter know', async () => {
    await filter({ is_whole: false, subject: 'From the filter' }, null);
    await arrive();
    await mailboxHas({}).tell(reportRun());
    expect(await received()).toMatchObject([
      { message_id: '<logged@far.example>', from: 'bo@far.example', subject: 'From the filter' },
    ]);
    expect(await full()).toHaveLength(1);
  });

  it('that cannot be read is tried on, and told without after 5 minutes', async () => {
    await arrive();
    const fetch = vi.fn(() => Promise.reject(new Error('Dovecot is away')));
    const tell = createDeliveryReporter(db, keptCopies({ fetch }));
    await tell(reportRun());
    await tell(reportRun());
    expect(fetch).toHaveBeenCalledTimes(1);
    await tell(reportRun({ afterMs: 60_000 }));
    expect(fetch).toHaveBeenCalledTimes(2);
    expect(await received()).toEqual([]);
    await tell(reportRun({ afterMs: 5 * 60_000 }));
    expect(await received()).toMatchObject([{ message_id: '<logged@far.example>', from: 'bo@far.example' }]);
  });

  it('that cannot be read keeps no other waiting', async () => {
    await arrive();
    queueId = newQueueId();
    await filter();
    await arrive();
    const tell = createDeliveryReporter(db, keptCopies({ fetch: () => Promise.reject(new Error('no')) }));
    expect(await tell(reportRun())).toBe(2);
    expect(await tell(reportRun())).toBe(0);
    expect(await received()).toMatchObject([{ queue_id: queueId }]);
  });
});

describe('a message of which the filter has not told yet', () => {
  it('waits while its stream cannot be read, for 30 seconds', async () => {
    await arrive();
    const { tell } = mailboxHas({ hdr: HEADER, text: RAW });
    await tell(reportRun({ isStreamRead: false, afterMs: 29_000 }));
    expect(await received()).toEqual([]);
    await tell(reportRun({ isStreamRead: false, afterMs: 31_000 }));
    expect(await received()).toMatchObject([{ subject: 'Offer' }]);
  });

  it('does not wait once it has told', async () => {
    await arrive();
    await filter();
    await mailboxHas({}).tell(reportRun({ isStreamRead: false }));
    expect(await received()).toMatchObject([{ subject: 'Offer' }]);
  });

  it('does not wait where one of ours has sent it, of which the filter tells nothing', async () => {
    const facts = accepted(at('app'), { login: 'postroom' });
    await readLines(...lines(queueId, ...facts, stored(at('ann')), { kind: 'removed' }));
    await mailboxHas({ hdr: HEADER, text: RAW }).tell(reportRun({ isStreamRead: false }));
    expect(await received()).toMatchObject([{ subject: 'Offer', to: at('ann') }]);
  });
});

describe('hostile mail', () => {
  const nasty = 'a\0b\ud800c\r\nX-Spam: Yes';

  it.each([
    ['the filter', true],
    ['the filter and no copy', false],
  ])('with NULs and lone surrogates is told without, by %s', async (_case, hasRaw) => {
    const says = { subject: nasty, from: `"${nasty}"@far.example`, message_id: nasty, recipients: [nasty, at('ann')] };
    const header = `From: ${nasty}\r\nSubject: ${nasty}\r\nMessage-ID: ${nasty}\r\n\r\n\0`;
    await filter({ ...says, is_whole: hasRaw }, hasRaw ? header : null);
    await arrive('');
    await mailboxHas({}).tell(reportRun());
    const [data] = await received();
    expect(data).toMatchObject({ to: at('ann'), message_id: expect.stringMatching(/^<[^<>\0]+>$/) });
    expect(JSON.stringify(data)).not.toMatch(/\\u0000|\\ud800/);
    expect(await db.message.findMany({ where: { queueId } })).toMatchObject([
      { subject: expect.stringMatching(hasRaw ? /^a b.c$/ : /^ab.c X-Spam: Yes$/) },
    ]);
  });

  it('that is refused with such addresses is told to those that are ours', async () => {
    await filter({ action: 'reject', recipients: [nasty, `${nasty}@${domain.name}`, '', '@', at('ann')] });
    await createDeliveryReporter(db, keptCopies())(reportRun());
    const told = (await emittedEvents(domain.id, 'mail.spam')).map(({ data }) => data.to);
    expect(told).toContain(at('ann'));
    expect(await db.inboundDelivery.count({ where: { queueId, reportedAt: null } })).toBe(0);
  });

  it('to very many addresses is told to each', async () => {
    const recipients = Array.from({ length: 1000 }, (_, index) => at(`n${index}`));
    await filter({ action: 'reject', recipients });
    await createDeliveryReporter(db, keptCopies())(reportRun());
    expect(await emittedEvents(domain.id, 'mail.spam')).toHaveLength(1000);
  }, 60_000);

  it('that claims a verdict in its own header gets none where the filter has told', async () => {
    const claims = 'X-Spam: Yes\r\nX-Spamd-Result: default: True [99.00 / 15.00];\r\n';
    await filter({ score: 2 }, claims + RAW);
    await arrive();
    await mailboxHas({}).tell(reportRun());
    expect(await full()).toMatchObject([{ spam_score: 2, spam_action: 'no action' }]);
  });
});
