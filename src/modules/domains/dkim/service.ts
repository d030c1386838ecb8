import { kickAgents } from '@/modules/mail-server/service';
import type { Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { requireDomain } from '../service';
import { dkimKeyRow, dkimRecordValue, makeDkimKeyPair } from './keys';
import { dkimKeyList, type ListDkimKeys } from './lists';
import { waitUntilPublished } from './publish';
import type { DkimKey, DkimKeyPath, RotateDkim } from './schema';

export async function listDkimKeys(ctx: ActorContext, input: ListDkimKeys): Promise<Page<DkimKey>> {
  const { id, status } = input;
  await requireDomain(ctx, ctx.db, id);
  const filters = { domainId: id, status };
  return paginate(dkimKeyList, input, {
    fetch: ({ where, ...page }) =>
      ctx.db.dkimKey.findMany({ ...page, select: FIELDS, where: { AND: [where, filters] } }),
    count: (take) => ctx.db.dkimKey.count({ where: filters, take }),
    present,
  });
}

/** Creates a pending key. @throws CONFLICT if another key is pending or the selector was used before */
export async function rotateDkim(ctx: MutationContext, { id, selector, algorithm }: RotateDkim): Promise<DkimKey> {
  await requireDomain(ctx, ctx.db, id);
  await requireUnusedSelector(ctx.db, id, selector);
  const pair = await makeDkimKeyPair(algorithm);
  return ctx.transaction(async ({ tx, audit }) => {
    await lockDomain(tx, id);
    await requireUnusedSelector(tx, id, selector);
    const row = dkimKeyRow(pair, { selector, status: 'pending', at: ctx.clock.now() });
    const key = present(await tx.dkimKey.create({ data: { ...row, domainId: id }, select: FIELDS }));
    await audit({ resource: `domain:${id}`, domainId: id, before: null, after: key });
    return key;
  });
}

/** Signs with a pending or retired key once the mail server has it, for which it waits a moment. @throws NOT_FOUND; CONFLICT if the key is already active */
export async function activateDkim(ctx: MutationContext, { id, selector }: DkimKeyPath): Promise<DkimKey> {
  const activated = await ctx.transaction(async ({ tx, audit }) => {
    await requireDomain(ctx, tx, id);
    await lockDomain(tx, id);
    const row = await tx.dkimKey.findFirst({ where: { domainId: id, selector }, select: FIELDS });
    if (!row) throw notFound('DKIM key');
    if (row.status === 'active') throw new AppError('CONFLICT', `The key ${selector} is already active.`);
    const at = ctx.clock.now();
    const retire = { status: 'retired' as const, retiredAt: at };
    await tx.dkimKey.updateMany({ where: { domainId: id, status: 'active' }, data: retire });
    const activate = { status: 'active' as const, activatedAt: at, retiredAt: null, publishedAt: null };
    const after = present(await tx.dkimKey.update({ where: { id: row.id }, data: activate, select: FIELDS }));
    await tx.domain.update({ where: { id }, data: { dkimSelector: selector }, select: { id: true } });
    await audit({ resource: `domain:${id}`, domainId: id, before: present(row), after });
    await kickAgents(tx);
    return after;
  });
  const publishedAt = await waitUntilPublished(ctx.db, id);
  return { ...activated, published_at: publishedAt?.toISOString() ?? null };
}

/** Deletes a pending key, which has never signed. @throws NOT_FOUND; CONFLICT for another key */
export async function discardDkim(ctx: MutationContext, { id, selector }: DkimKeyPath): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit }) => {
    await requireDomain(ctx, tx, id);
    await lockDomain(tx, id);
    const row = await tx.dkimKey.findFirst({ where: { domainId: id, selector }, select: FIELDS });
    if (!row) throw notFound('DKIM key');
    if (row.status !== 'pending') {
      throw new AppError('CONFLICT', `The key ${selector} is ${row.status}. Only a pending key can be discarded.`);
    }
    await tx.dkimKey.delete({ where: { id: row.id }, select: { id: true } });
    // Else the record to publish would be shown until the next check.
    await tx.dnsRecord.deleteMany({ where: { domainId: id, name: { startsWith: `${selector}._domainkey.` } } });
    await tx.domain.update({ where: { id }, data: { nextDnsCheckAt: ctx.clock.now() }, select: { id: true } });
    await audit({ resource: `domain:${id}`, domainId: id, before: present(row), after: null });
    return { message: `Key ${selector} discarded.` };
  });
}

/** Serializes key changes of a domain. */
async function lockDomain(tx: Tx, id: string): Promise<void> {
  const locked = await tx.$queryRaw<unknown[]>`SELECT id FROM domain WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
  if (locked.length === 0) throw notFound('domain');
}

async function requireUnusedSelector(tx: Tx, domainId: string, selector: string | undefined): Promise<void> {
  const either = [{ status: 'pending' as const }, ...(selector === undefined ? [] : [{ selector }])];
  const rows = await tx.dkimKey.findMany({ where: { domainId, OR: either }, select: { selector: true, status: true } });
  const pending = rows.find(({ status }) => status === 'pending');
  if (pending) {
    const message = `The key ${pending.selector} is still pending. Activate or discard it before you rotate again.`;
    throw new AppError('CONFLICT', message, { details: { pending_selector: pending.selector } });
  }
  if (rows.length === 0) return;
  const message = `This domain has already used the selector ${selector}. Choose another.`;
  throw new AppError('CONFLICT', message, { details: { fields: [{ path: 'selector', message }] } });
}

const FIELDS = {
  id: true,
  selector: true,
  algorithm: true,
  status: true,
  publicKey: true,
  createdAt: true,
  activatedAt: true,
  retiredAt: true,
  publishedAt: true,
  domain: { select: { name: true } },
} satisfies Prisma.DkimKeySelect;

type Row = Prisma.DkimKeyGetPayload<{ select: typeof FIELDS }>;

function present(row: Row): DkimKey {
  return {
    selector: row.selector,
    algorithm: row.algorithm === 'rsa_2048' ? 'rsa-2048' : 'ed25519',
    status: row.status,
    dns_record: {
      type: 'TXT',
      name: `${row.selector}._domainkey.${row.domain.name}`,
      value: dkimRecordValue(row),
    },
    published_at: row.publishedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    activated_at: row.activatedAt?.toISOString() ?? null,
    retired_at: row.retiredAt?.toISOString() ?? null,
  };
}
