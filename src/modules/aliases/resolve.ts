import { parseAddress } from '@/lib/mail/address';
import { authorizeDomain } from '@/server/access/authorize';
import type { ActorContext } from '@/server/procedures/context';
import { keysOf } from './chains';
import type { Resolution, ResolveAddress } from './schema';

/**
 * Explains how mail to an address is routed. Destinations come from the SQL function that the mail server uses.
 * @throws the errors of authorizeDomain
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
    const explanation = `The domain ${name} is inactive, so its mail is rejected.`;
    return { ...base, outcome: 'rejected', explanation, destinations };
  }
  if (mailbox?.active) {
    const explanation = exact?.active
      ? 'A mailbox has this address. It takes precedence over the alias with the same address, which receives nothing.'
      : 'A mailbox has this address.';
    return { ...base, outcome: 'mailbox', mailbox_id: mailbox.id, explanation, destinations };
  }
  const alias = [exact, catchAll].find((candidate) => candidate?.active);
  if (!alias) {
    return { ...base, outcome: 'rejected', explanation: explainRejection(mailbox, exact, catchAll), destinations };
  }
  const dropped = keysOf(alias.destination).filter((key) => !destinations.some((kept) => kept.toLowerCase() === key));
  const isExact = alias === exact;
  const found = { ...base, alias_id: alias.id, destinations, dropped };
  if (destinations.length === 0) {
    const explanation =
      'An alias matches, but none of its destinations has an active mailbox, so the mail is rejected.';
    return { ...found, outcome: 'rejected', explanation };
  }
  return {
    ...found,
    outcome: isExact ? 'alias' : 'catch_all',
    explanation: isExact
      ? 'An alias has this address, and no active mailbox does.'
      : 'No active mailbox or alias has this address, so the domain’s catch-all receives the mail.',
  };
}

type Candidate = { active: boolean } | null | undefined;

function explainRejection(mailbox: Candidate, exact: Candidate, catchAll: Candidate): string {
  const inactive = [mailbox && 'mailbox', exact && 'alias', catchAll && 'catch-all'].filter(Boolean);
  if (inactive.length === 0) return 'No mailbox or alias has this address, and the domain has no catch-all.';
  return `No active mailbox or alias receives mail for this address. Inactive: ${inactive.join(', ')}.`;
}
