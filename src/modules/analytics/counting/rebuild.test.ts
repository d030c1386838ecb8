import { spawn } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { foldAnalytics } from './fold';

const api = await keyClient({ role: 'admin' });
const domain = await makeDomain();

function rebuild(): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['scripts/rebuild-analytics.mjs']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: output.trim() })));
}

async function addMessages(day: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const status = n % 2 ? ('delivered' as const) : ('bounced' as const);
    const deliveredAt = status === 'delivered' ? new Date(`${day}T10:00:03Z`) : null;
    const category = status === 'bounced' ? 'policy' : null;
    await db.message.create({
      data: {
        messageId: `<${unique()}@${domain.name}>`,
        queueId: unique(),
        domainId: domain.id,
        direction: 'outbound',
        fromAddress: `shop@${domain.name}`,
        subject: 'Hello',
        sizeBytes: 1,
        status,
        createdAt: new Date(`${day}T10:00:00Z`),
        recipients: { create: { address: 'ann@far.example', kind: 'to', status, deliveredAt, category } },
      },
    });
  }
}

async function figures(day: string) {
  const span = `period=custom&start=${day}T00:00:00Z&end=${day}T23:45:00Z&granularity=day&domain_id=${domain.id}`;
  const { data } = await api.get(`/analytics?${span}`);
  const of = async (dimension: string) => (await api.get(`/analytics?${span}&dimension=${dimension}`)).data.breakdown;
  return { totals: data.totals, senders: await of('sender'), categories: await of('category') };
}

beforeAll(async () => {
  await addMessages('2026-01-01', 3);
  await addMessages('2026-01-02', 4);
  await addMessages('2026-01-03', 6);
  await foldAnalytics(db);
});

describe('npm run rebuild-analytics', () => {
  it('says so if all statistics are right, and changes none', async () => {
    const before = await figures('2026-01-03');
    expect(before.totals).toMatchObject({ sent: 6, delivered: 3, bounced: 3 });
    expect(await rebuild()).toEqual({
      code: 0,
      output: 'Counted the messages of 2026-01-02 to 2026-01-03 (UTC). All statistics were right.',
    });
    expect(await figures('2026-01-03')).toEqual(before);
  });

  it('corrects wrong, missing and surplus figures', async () => {
    const before = [await figures('2026-01-02'), await figures('2026-01-03')];
    const at = { gte: new Date('2026-01-03T00:00:00Z') };
    await db.analyticsCount.updateMany({ where: { at, status: 'bounced' }, data: { count: { increment: 5 } } });
    await db.analyticsBreakdown.deleteMany({ where: { at, dimension: 'sender' } });
    await db.analyticsDelivery.deleteMany({ where: { at } });
    await db.analyticsBreakdown.updateMany({ where: { at, dimension: 'category' }, data: { value: 'other' } });
    const { code, output } = await rebuild();
    expect(code).toBe(0);
    expect(output).toMatch(/^2026-01-03: \d+ figures corrected\.\n.* Days with wrong statistics: 1\.$/);
    expect([await figures('2026-01-02'), await figures('2026-01-03')]).toEqual(before);
    expect((await rebuild()).output).toContain('All statistics were right.');
  });

  it('keeps the figures of days of which messages may be deleted', async () => {
    await db.message.deleteMany({ where: { createdAt: { lt: new Date('2026-01-02T00:00:00Z') } } });
    const [gone] = await db.message.findMany({ where: { createdAt: new Date('2026-01-02T10:00:00Z') }, take: 1 });
    await db.message.delete({ where: { id: gone?.id } });
    expect((await rebuild()).output).toContain('Counted the messages of 2026-01-03 to 2026-01-03');
    expect((await figures('2026-01-01')).totals.sent).toBe(3);
    expect((await figures('2026-01-02')).totals.sent).toBe(4);
  });

  it('keeps the figures of deleted messages although an older message is still open', async () => {
    await addMessages('2025-12-01', 2);
    await foldAnalytics(db);
    await db.message.deleteMany({ where: { createdAt: new Date('2026-01-02T10:00:00Z') } });
    const completeSince = new Date('2026-01-02T12:00:00Z');
    await db.messageRetention.update({ where: { id: 1 }, data: { completeSince } });
    expect((await rebuild()).output).toContain('Counted the messages of 2026-01-03 to 2026-01-03');
    expect((await figures('2026-01-02')).totals.sent).toBe(4);
    await db.message.deleteMany({ where: { createdAt: { lt: completeSince } } });
  });

  it('counts each change once that is made while it runs', async () => {
    await addMessages('2026-01-04', 20);
    const [{ code }] = await Promise.all([rebuild(), addMessages('2026-01-04', 20), foldAnalytics(db)]);
    expect(code).toBe(0);
    await foldAnalytics(db);
    expect((await figures('2026-01-04')).totals).toMatchObject({ sent: 40, delivered: 20, bounced: 20 });
    expect((await rebuild()).output).toContain('All statistics were right.');
  });
});
