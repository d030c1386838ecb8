import { notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { requireDomain } from '../service';
import { uncheckedRecords } from './checking/check';
import { factsOf } from './checking/facts';
import { dnsChangeList, type ListDnsChanges } from './lists';
import { presentChange, readDns, storeCheck } from './results/store';
import { runCheck } from './run';
import type { DnsChange, DomainDns, GetDnsZone } from './schema';
import { zoneFile } from './zone-file';

/** Returns the results of the last check; before the first one, the records to publish. */
export async function getDns(ctx: ActorContext, { id }: { id: string }): Promise<DomainDns> {
  await requireDomain(ctx, ctx.db, id);
  const dns = await readDns(ctx.db, id);
  const facts = dns.checked_at === null ? await factsOf(ctx.db, id) : null;
  return facts ? { ...dns, records: uncheckedRecords(facts) } : dns;
}

/** Looks everything up now, outside of the transaction that stores the result. */
export async function checkDns(ctx: MutationContext, { id }: { id: string }): Promise<DomainDns> {
  await requireDomain(ctx, ctx.db, id);
  const dns = await runCheck(ctx.db, id, (checked) =>
    ctx.transaction(async ({ tx, audit }) => {
      await requireDomain(ctx, tx, id);
      const status = await storeCheck(tx, id, { checked, at: ctx.clock.now() });
      if (status === null) throw notFound('domain');
      await audit({ resource: `domain:${id}`, domainId: id, details: { status } });
      return readDns(tx, id);
    }),
  );
  if (!dns) throw notFound('domain');
  return dns;
}

/** Lists the changes from one check to the next. */
export async function listDnsChanges(ctx: ActorContext, input: ListDnsChanges): Promise<Page<DnsChange>> {
  const { id } = input;
  await requireDomain(ctx, ctx.db, id);
  const ofDomain = { domainId: id };
  return paginate(dnsChangeList, input, {
    fetch: ({ where, ...page }) => ctx.db.dnsChange.findMany({ ...page, where: { AND: [where, ofDomain] } }),
    count: (take) => ctx.db.dnsChange.count({ where: ofDomain, take }),
    present: presentChange,
  });
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

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text;
}
