import type { Database } from '@/server/db';
import { notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { requireDomain } from '../service';
import { checkDomain } from './check';
import type { CheckedRecord } from './check-record';
import { dnsServers, factsOf } from './facts';
import { probes } from './probes';
import { reportProgress } from './progress';
import type { DnsChange, DomainDns, GetDnsZone, ListDnsChanges } from './schema';
import { presentChange, readDns, storeCheck } from './store';
import { zoneFile } from './zone-file';

/** What the last check found. */
export async function getDns(ctx: ActorContext, { id }: { id: string }): Promise<DomainDns> {
  await requireDomain(ctx, ctx.db, id);
  return readDns(ctx.db, id);
}

/** Looks everything up now, outside of the transaction that stores the result. */
export async function checkDns(ctx: MutationContext, { id }: { id: string }): Promise<DomainDns> {
  await requireDomain(ctx, ctx.db, id);
  const checked = await runCheck(ctx.db, id);
  if (!checked) throw notFound('domain');
  return ctx.transaction(async ({ tx, audit }) => {
    await requireDomain(ctx, tx, id);
    const status = await storeCheck(tx, id, { checked, at: ctx.clock.now() });
    await audit({ resource: `domain:${id}`, domainId: id, details: { status } });
    return readDns(tx, id);
  });
}

/** What changed from one check to the next. */
export async function listDnsChanges(ctx: ActorContext, input: ListDnsChanges): Promise<Page<DnsChange>> {
  const { id } = input;
  await requireDomain(ctx, ctx.db, id);
  return paginate(
    'dns changes',
    input,
    'at',
    ({ where, ...page }) => ctx.db.dnsChange.findMany({ ...page, where: { AND: [where, { domainId: id }] } }),
    presentChange,
  );
}

/** The records to publish, as a zone file. */
export async function getDnsZone(ctx: ActorContext, { id, only }: GetDnsZone) {
  const { name } = await requireDomain(ctx, ctx.db, id);
  const [facts, { records }] = await Promise.all([factsOf(ctx.db, id), readDns(ctx.db, id)]);
  if (!facts) throw notFound('domain');
  const published = only === 'missing' ? records.filter(({ status }) => status === 'ok') : [];
  const text = zoneFile(facts, published);
  return { filename: `${name}.zone`, chunks: oneChunk(text) };
}

/** @returns null if the domain no longer exists */
export async function runCheck(db: Database, id: string): Promise<CheckedRecord[] | null> {
  const facts = await factsOf(db, id);
  if (!facts) return null;
  const progress = await reportProgress(db, id);
  try {
    const checked = await checkDomain(facts, { servers: dnsServers(), probes: probes() }, progress.onChecked);
    await progress.end();
    return checked;
  } catch (error) {
    await progress.cancel();
    throw error;
  }
}

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text;
}
