import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { BROKEN, makeDomainWithRecords } from '@/test/dns-records';
import { makeAdmin, makeDomain, makeMailbox, makeSession, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';

async function overviewFor(domainIds: string[], input: { domain_id?: string } = {}) {
  const { id } = await makeAdmin({ role: 'domain_admin', domainIds });
  const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
  return appRouter.createCaller(createContext(new Request('http://localhost/', { headers }))).overview.get(input);
}

const HOUR_MS = 3_600_000;

async function addMessages(domainId: string, status: 'delivered' | 'bounced', hoursAgo: number[]) {
  for (const hours of hoursAgo) {
    const common = {
      domainId,
      direction: 'outbound' as const,
      fromAddress: 'shop@d.example',
      subject: 'Hi',
      sizeBytes: 1,
    };
    const createdAt = new Date(Date.now() - hours * HOUR_MS);
    await db.message.create({
      data: { ...common, messageId: `<${unique()}@d.example>`, queueId: unique(), status, createdAt },
    });
  }
}

describe('the overview', () => {
  it('has the figures of the admin’s domains in the last day, by hour, and of the day before', async () => {
    const [own, other, foreign] = [await makeDomain(), await makeDomain(), await makeDomain()];
    await addMessages(own.id, 'delivered', [1, 1, 23, 26, 60]);
    await addMessages(own.id, 'bounced', [2, 30, 31]);
    await addMessages(other.id, 'delivered', [3]);
    await addMessages(foreign.id, 'delivered', [1]);
    const overview = await overviewFor([own.id, other.id]);
    expect(overview.totals).toMatchObject({ sent: 5, delivered: 4, bounced: 1, failed: 0 });
    expect(overview.previous).toMatchObject({ sent: 3, delivered: 1, bounced: 2 });
    expect(overview.series.reduce((sum, { sent }) => sum + sent, 0)).toBe(5);
    expect(overview.series.length).toBeGreaterThanOrEqual(24);
    const one = await overviewFor([own.id, other.id], { domain_id: other.id });
    expect(one.totals).toMatchObject({ sent: 1, delivered: 1 });
  });

  it('names the senders of many messages that did not arrive, and why theirs and others’ failed', async () => {
    const [many, few] = [await makeDomain(), await makeDomain()];
    await addMessages(many.id, 'bounced', Array(10).fill(2));
    await addMessages(few.id, 'bounced', Array(9).fill(2));
    const sendersOf = async (id: string) => (await overviewFor([many.id, few.id], { domain_id: id })).troubled_senders;
    expect(await sendersOf(many.id)).toEqual([{ sender: 'shop@d.example', bounced: 10, failed: 0, deferred: 0 }]);
    expect(await sendersOf(few.id)).toEqual([]);
    const failed = (fromAddress: string, cause: 'deleted' | 'expired', age = 0) =>
      db.message.create({
        data: {
          ...{ domainId: many.id, direction: 'outbound', fromAddress, subject: 'Hi', sizeBytes: 1, status: 'failed' },
          messageId: `<${unique()}@d.example>`,
          queueId: unique(),
          createdAt: new Date(Date.now() - age),
          recipients: { create: [{ address: 'ann@far.example', kind: 'to', status: 'failed', cause }] },
        },
      });
    await failed('shop@d.example', 'deleted');
    await failed('Shop@d.example', 'deleted');
    await failed('ann@d.example', 'expired');
    await failed('ann@d.example', 'expired', 30 * HOUR_MS);
    const { failures, troubled_senders } = await overviewFor([many.id, few.id]);
    expect(troubled_senders).toEqual([{ sender: 'shop@d.example', bounced: 19, failed: 2, deferred: 0 }]);
    expect(failures).toEqual([
      { sender: 'shop@d.example', cause: 'deleted', count: 2 },
      { sender: null, cause: 'expired', count: 1 },
    ]);
    expect((await overviewFor([few.id])).failures).toEqual([]);
  });

  it('counts what the list of messages since its start has', async () => {
    const domain = await makeDomain();
    await addMessages(domain.id, 'delivered', [0, 1, 23.9, 24, 24.1, 24.2, 24.3]);
    const overview = await overviewFor([domain.id]);
    const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    const { data } = await api.get(`/messages?since=${overview.since}&status=delivered&direction=outbound`);
    expect(data).toHaveLength(overview.totals.delivered);
    expect(data.length).toBeGreaterThanOrEqual(4);
  });

  it('has the time of the last message that was delivered, and none of another domain', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    await addMessages(foreign.id, 'delivered', [1]);
    expect((await overviewFor([own.id])).last_delivered_at).toBeNull();
    await addMessages(own.id, 'delivered', [30, 5]);
    await addMessages(own.id, 'bounced', [2]);
    const { last_delivered_at: at } = await overviewFor([own.id]);
    const newest = await db.message.findFirstOrThrow({
      where: { domainId: own.id, status: 'delivered' },
      orderBy: { createdAt: 'desc' },
    });
    expect(at).toBe(newest.createdAt.toISOString());
  });

  it('has a checklist of the selected domain, or of the one that was added last', async () => {
    const first = await makeDomainWithRecords([BROKEN, BROKEN]);
    const last = await makeDomain();
    await makeMailbox(first.id, 'ann');
    const ids = [first.id, last.id];
    const unchecked = { domain_id: last.id, domain: last.name, is_checked: false, broken: 0 };
    expect((await overviewFor(ids)).checklist).toMatchObject({ has_domain: true, has_mailbox: true, dns: unchecked });
    const selected = await overviewFor(ids, { domain_id: first.id });
    expect(selected.checklist.dns).toMatchObject({ domain_id: first.id, is_checked: true, broken: 2 });
    expect((await overviewFor([])).checklist).toMatchObject({ has_domain: false, has_mailbox: false, dns: null });
  });
});
