import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { emit } from '@/test/events';
import { makeDomain, makeWebhook } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { sequenceEvents } from './sequence';

type Listed = { sequence: number; body: { id: string } };

describe('the feed', () => {
  it('returns every event once and in order, page by page, and continues from the last position', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) ids.push(await emit(domain.id));
    await sequenceEvents(db);
    const seen: Listed[] = [];
    let after = '0';
    for (let hasMore = true; hasMore; ) {
      const page = await get(`/events?domain_id=${domain.id}&limit=3&after=${after}`);
      seen.push(...page.data);
      after = page.meta.pagination?.next_cursor ?? '';
      hasMore = page.meta.pagination?.has_more ?? false;
    }
    expect(seen.map(({ body }) => body.id)).toEqual(ids);
    expect(seen.map(({ sequence }) => sequence)).toEqual(
      seen.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
    const empty = await get(`/events?domain_id=${domain.id}&after=${after}`);
    expect(empty.meta.pagination).toEqual({ next_cursor: after, has_more: false });
    const next = await emit(domain.id);
    await sequenceEvents(db);
    const more = await get(`/events?domain_id=${domain.id}&after=${after}`);
    expect(more.data.map(({ body }: Listed) => body.id)).toEqual([next]);
  });

  it('includes events whose transaction commits after a later one', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const seen: string[] = [];
    let after = '0';
    const read = async () => {
      await sequenceEvents(db);
      const page = await get(`/events?domain_id=${domain.id}&after=${after}`);
      after = page.meta.pagination?.next_cursor ?? after;
      seen.push(...page.data.map(({ body }: Listed) => body.id));
    };
    let early = '';
    await db.$transaction(async (tx) => {
      early = await emit(domain.id, tx);
      const late = await emit(domain.id);
      await read();
      expect(seen).toEqual([late]);
    });
    await read();
    expect(seen).toHaveLength(2);
    expect(seen).toContain(early);
  });

  it('filters by type and time, and rejects an invalid position', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    await emit(domain.id);
    const bounced = await emit(domain.id, db, 'mail.bounced');
    await sequenceEvents(db);
    const typed = await get(`/events?domain_id=${domain.id}&event=mail.bounced`);
    expect(typed.data.map(({ body }: Listed) => body.id)).toEqual([bounced]);
    expect((await get(`/events?domain_id=${domain.id}&since=2100-01-01T00:00:00Z`)).data).toEqual([]);
    for (const after of ['-1', 'x', '1e3', '9'.repeat(16), '0x1']) {
      expectError(await get(`/events?after=${after}`), 400, 'INVALID_PAGINATION');
    }
    expectError(await get('/events?limit=201'), 400, 'INVALID_PAGINATION');
  });

  it('excludes test events and mail.received.full', async () => {
    const admin = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const webhook = await makeWebhook({ domainId: domain.id });
    await admin.post(`/webhooks/${webhook.id}/test`);
    await emit(domain.id, db, 'mail.received.full');
    await sequenceEvents(db);
    expect((await admin.get(`/events?domain_id=${domain.id}`)).data).toEqual([]);
  });

  it('returns only events in scope to a scoped key, and none to a domain admin', async () => {
    const [mine, other] = await Promise.all([makeDomain(), makeDomain()]);
    const own = await emit(mine.id);
    await emit(other.id);
    await emit(null);
    await sequenceEvents(db);
    const key = await keyClient({ role: 'admin', scopedDomainIds: [mine.id] });
    expect((await key.get('/events')).data.map(({ body }: Listed) => body.id)).toEqual([own]);
    const domainAdmin = await keyClient({ role: 'domain_admin', domainIds: [mine.id] });
    expectError(await domainAdmin.get('/events'), 403, 'FORBIDDEN');
  });

  it('ends a page early if it would exceed the size limit', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const domain = await makeDomain();
    const body = JSON.stringify({
      id: 'x',
      event: 'mail.sent',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { s: 'x'.repeat(3_000_000) },
    });
    const data = { type: 'mail.sent', domainId: domain.id, body, bodyBytes: body.length };
    await db.event.createMany({ data: [data, data, data] });
    await sequenceEvents(db);
    const page = await get(`/events?domain_id=${domain.id}`);
    expect(page.data).toHaveLength(1);
    expect(page.meta.pagination?.has_more).toBe(true);
  });
});

describe('a position in the feed', () => {
  it('that was never assigned is rejected, while the last assigned one is accepted', async () => {
    const { get } = await keyClient({ role: 'admin' });
    await emit(null);
    await sequenceEvents(db);
    const last = await newestSequence();
    expect((await get(`/events?after=${last}`)).meta.pagination).toEqual({ next_cursor: `${last}`, has_more: false });
    const response = expectError(await get(`/events?after=${last + 1n}`), 400, 'INVALID_PAGINATION');
    expect(response.error.details.fields?.map(({ path }) => path)).toEqual(['after']);
    expect(response.error.message).toContain(`${last}`);
  });

  it('advances to the newest one if the filter matches nothing', async () => {
    const { get } = await keyClient({ role: 'admin' });
    const [quiet, busy] = await Promise.all([makeDomain(), makeDomain()]);
    await emit(busy.id);
    await sequenceEvents(db);
    const before = await newestSequence();
    for (let count = 0; count < 3; count++) await emit(busy.id);
    await sequenceEvents(db);
    const newest = await newestSequence();
    expect(newest).toBe(before + 3n);
    for (const filter of [`domain_id=${quiet.id}`, 'event=mail.spam', 'since=2100-01-01T00:00:00Z']) {
      const page = await get(`/events?${filter}&after=${before}`);
      expect(page.data).toEqual([]);
      expect(page.meta.pagination).toEqual({ next_cursor: `${newest}`, has_more: false });
    }
  });

  it('hides events of a deleted domain from a key scoped to it', async () => {
    const [deleted, kept] = await Promise.all([makeDomain(), makeDomain()]);
    const hidden = await emit(deleted.id);
    const own = await emit(kept.id);
    await sequenceEvents(db);
    const key = await keyClient({ role: 'admin', scopedDomainIds: [deleted.id, kept.id] });
    const seen = async () => (await key.get('/events')).data.map(({ body }: Listed) => body.id);
    expect(await seen()).toEqual([hidden, own]);
    await db.domain.delete({ where: { id: deleted.id } });
    expect(await db.event.count({ where: { domainId: deleted.id } })).toBe(1);
    expect(await seen()).toEqual([own]);
    expectError(await key.get(`/events?domain_id=${deleted.id}`), 404, 'DOMAIN_NOT_FOUND');
  });
});

async function newestSequence(): Promise<bigint> {
  const { _max } = await db.event.aggregate({ _max: { sequence: true } });
  return _max.sequence ?? 0n;
}
