import { createResolver } from '@/server/dns/resolver';
import { notFound } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import { env } from '@/server/settings/env';
import { checkOne } from '../dns/checking/check-record';
import { dnsServers } from '../dns/checking/facts';
import { dkimRecord } from '../dns/records/sending/dkim';
import { requireDomain } from '../service';
import { dkimRecordValue } from './keys';
import type { DkimKeyPath, DkimLookup } from './schema';

const TIMEOUT_MS = 10_000;

/** Looks up whether receiving servers could verify signatures of a key now. Stores nothing. */
export async function lookUpDkim(ctx: ActorContext, { id, selector }: DkimKeyPath): Promise<DkimLookup> {
  const { name } = await requireDomain(ctx, ctx.db, id);
  const row = await ctx.db.dkimKey.findFirst({
    where: { domainId: id, selector },
    select: { algorithm: true, publicKey: true },
  });
  if (!row) throw notFound('DKIM key');
  const resolver = createResolver({
    servers: dnsServers(),
    allowPrivateNetworks: env().webhookAllowPrivateNetworks,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const record = dkimRecord(name, { selector, status: 'activating', value: dkimRecordValue(row) });
  const checked = await checkOne(record, resolver, {});
  // A record that is expected is never left out.
  if (!checked) throw notFound('DKIM record');
  const { status, message, fix, found, authoritative } = checked;
  return { name: checked.name, status, message, fix, found, authoritative };
}
