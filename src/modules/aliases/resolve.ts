import { parseAddress } from '@/lib/address';
import { authorizeDomain } from '@/server/access';
import type { ActorContext } from '@/server/context';
import { keysOf } from './chains';
import type { Resolution, ResolveAddress } from './schema';

/**
 * What happens to mail for an address, and why. The destinations are those that the mail server itself is told.
 * @throws what authorizeDomain throws
 */
export async function resolveAddress(ctx: ActorContext, input: ResolveAddress): Promise<Resolution> {
  const { local, domain: name } = parseAddress(input.address) as { local: string; domain: string };
  const domain = await authorizeDomain(ctx, { name }, { allowInactive: true });
  const localPart = local.toLowerCase();
  const [mailbox, aliases, rows] = await Promise.all([
    ctx.db.mailbox.findUnique({
      where: { domainId_localPart: { domainId: domain.id, localPart } },
      select: { id: true, active: true },
    }),
    ctx.db.alias.findMany({
      where: { domainId: domain.id, sourceLocalPart: { in: [localPart, ''] } },
      select: { id: true, sourceLocalPart: true, destination: true, active: true },
    }),
    ctx.db.$queryRaw<{ address: string }[]>`SELECT mta.resolve(${local}, ${name}) AS address`,
  ]);
  const destinations = rows.map((row) => row.address);
  const exact = aliases.find(({ sourceLocalPart }) => sourceLocalPart === localPart);
  const catchAll = aliases.find(({ sourceLocalPart }) => sourceLocalPart === '');
  const base = { address: `${local}@${name}`, domain_id: domain.id, alias_id: null, mailbox_id: null, dropped: [] };

  if (!domain.active) {
    const explanation = `The domain ${name} is deactivated, so that its mail is refused.`;
    return { ...base, outcome: 'rejected', explanation, destinations };
  }
  if (mailbox?.active) {
    const explanation = exact?.active
      ? 'A mailbox has this address. It comes before the alias, which never sees this mail.'
      : 'A mailbox has this address.';
    return { ...base, outcome: 'mailbox', mailbox_id: mailbox.id, explanation, destinations };
  }
  const alias = [exact, catchAll].find((candidate) => candidate?.active);
  if (!alias) {
    return { ...base, outcome: 'rejected', explanation: whyNobody(mailbox, exact, catchAll), destinations };
  }
  const dropped = keysOf(alias.destination).filter((key) => !destinations.some((kept) => kept.toLowerCase() === key));
  const isExact = alias === exact;
  const found = { ...base, alias_id: alias.id, destinations, dropped };
  if (destinations.length === 0) {
    const explanation = 'An alias matches, but none of its destinations has an active mailbox. The mail is refused.';
    return { ...found, outcome: 'rejected', explanation };
  }
  return {
    ...found,
    outcome: isExact ? 'alias' : 'catch_all',
    explanation: isExact
      ? 'No active mailbox has this address; an alias does.'
      : 'No active mailbox and no active alias has this address; the catch-all of the domain takes it.',
  };
}

type Switched = { active: boolean } | null | undefined;

function whyNobody(mailbox: Switched, exact: Switched, catchAll: Switched): string {
  const inactive = [mailbox && 'mailbox', exact && 'alias', catchAll && 'catch-all'].filter(Boolean);
  if (inactive.length === 0) return 'No mailbox and no alias has this address, and the domain has no catch-all.';
  return `Nothing active has this address. Inactive: its ${inactive.join(', its ')}.`;
}
