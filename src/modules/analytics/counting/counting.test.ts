import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MessageSummary } from '@/modules/messages/schema';
import { allMessages, figuresOfList } from '@/test/analytics/expected';
import { play, receiving, sending } from '@/test/analytics/history';
import { db } from '@/test/database';
import { makeApiKey, makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import type { Analytics, AnalyticsPoint, BreakdownEntry } from '../schema';
import { foldAnalytics } from './fold';

const api = await keyClient({ role: 'super_admin' });
const { row: key } = await makeApiKey(api.admin.id);

const HOURS_MS = 8 * 3_600_000;

async function read(domainId: string, now: Date, query = ''): Promise<Analytics> {
  const start = new Date(now.getTime() - HOURS_MS).toISOString();
  const path = `/analytics?period=custom&start=${start}&domain_id=${domainId}&granularity=15m${query}`;
  const { status, data } = await api.get(path);
  expect(status).toBe(200);
  return data;
}

/** Compares every point, and the totals, with the list of messages. */
async function expectAgreement(domainId: string, now: Date): Promise<void> {
  const analytics = await read(domainId, now);
  const messages = await allMessages(api, { domain_id: domainId });
  const isIn =
    ({ at, until }: Pick<AnalyticsPoint, 'at' | 'until'>) =>
    (message: MessageSummary) =>
      message.created_at >= at && message.created_at < until;
  for (const point of analytics.series) {
    expect(point).toMatchObject(figuresOfList(messages.filter(isIn(point))));
  }
  const whole = messages.filter(isIn({ at: analytics.start, until: analytics.end }));
  expect(analytics.totals).toMatchObject(figuresOfList(whole));
  const filters = { domain_id: domainId, since: analytics.start, until: analytics.end };
  const bounced = await allMessages(api, { ...filters, direction: 'outbound', status: 'bounced' });
  expect(analytics.totals.bounced).toBe(bounced.length);
  const accepted = await allMessages(api, { ...filters, accepted: 'true' });
  expect(analytics.totals.sent).toBe(accepted.length);
  await expectBreakdowns(domainId, now, whole);
}

async function expectBreakdowns(domainId: string, now: Date, messages: MessageSummary[]): Promise<void> {
  const byValue = (entries: BreakdownEntry[]) => Object.fromEntries(entries.map((entry) => [entry.value, entry]));
  const of = async (dimension: string) => byValue((await read(domainId, now, `&dimension=${dimension}`)).breakdown);
  const outbound = messages.filter(
    ({ direction, status }) => direction === 'outbound' && status !== 'submitting' && status !== 'uncertain',
  );
  const bySender = await of('sender');
  for (const sender of new Set(outbound.map(({ from }) => from.toLowerCase()))) {
    const { sent, delivered, failed } = figuresOfList(outbound.filter(({ from }) => from.toLowerCase() === sender));
    expect(bySender[sender]).toMatchObject({ sent, delivered, failed });
    const { totals } = await read(domainId, now, `&sender=${sender}`);
    expect(totals).toMatchObject({ sent, delivered, failed });
  }
  const byTag = await of('tag');
  for (const tag of ['kind:news', 'plan:pro']) {
    const tagged = outbound.filter(({ tags }) => Object.entries(tags).some((each) => each.join(':') === tag));
    const { sent, delivered, failed } = figuresOfList(tagged);
    expect(byTag[tag] ?? { sent: 0, delivered: 0, failed: 0 }).toMatchObject({ sent, delivered, failed });
  }
  const byDomain = await of('domain');
  if (messages.length > 0) expect(byDomain[domainId]?.received).toBe(figuresOfList(messages).received);
  const recipients = await db.messageRecipient.findMany({
    where: { message: { domainId, direction: 'outbound' }, status: { notIn: ['submitting', 'uncertain'] } },
  });
  const delivered = (isCounted: (recipient: (typeof recipients)[number]) => boolean) =>
    recipients.filter((recipient) => recipient.status === 'delivered' && isCounted(recipient)).length;
  const atFar = recipients.filter(({ address }) => address.endsWith('@far.example'));
  const accepted = atFar.filter(({ cause }) => cause !== 'rejected');
  const { sent = 0, deferred = 0, failed = 0 } = (await of('recipient_domain'))['far.example'] ?? {};
  const count = (status: string) => atFar.filter((recipient) => recipient.status === status).length;
  expect({ sent, deferred, failed }).toEqual({
    sent: accepted.length,
    deferred: count('deferred'),
    failed: count('failed'),
  });
  expect((await of('provider')).Google?.delivered ?? 0).toBe(delivered(({ address }) => address === 'ann@gmail.com'));
  expect((await of('smtp_code'))['250']?.delivered ?? 0).toBe(delivered(() => true));
  const bounced = recipients.filter(({ status, category }) => status === 'bounced' && category === 'invalid_recipient');
  expect((await of('category')).invalid_recipient?.bounced ?? 0).toBe(bounced.length);
  const keyed = await db.message.count({ where: { domainId, apiKeyId: key.id, status: 'delivered' } });
  expect((await of('api_key'))[key.id]?.delivered ?? 0).toBe(keyed);
}

it('counts agree with the listed messages after any history, with changes added up or not', async () => {
  const history = fc.array(fc.tuple(fc.oneof({ weight: 3, arbitrary: sending }, receiving), fc.boolean()), {
    minLength: 5,
    maxLength: 25,
  });
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const [domain, now] = [await makeDomain(), new Date()];
      for (const [step, isFolded] of steps) {
        await play(step, { domain, keyId: key.id, now });
        if (isFolded) await foldAnalytics(db);
      }
      await expectAgreement(domain.id, now);
      await foldAnalytics(db);
      expect(await db.analyticsChange.count()).toBe(0);
      await expectAgreement(domain.id, now);
    }),
    { numRuns: 6 },
  );
}, 300_000);
