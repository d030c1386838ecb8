import { parseAddress } from '@/lib/mail/address';
import { REPORT_LOCAL_PARTS } from '@/lib/mail/report-addresses';
import { authorizeDomain } from '@/server/access/authorize';
import type { ActorContext } from '@/server/procedures/context';
import type { Resolution, ResolveAddress } from './schema';
import { keysOf } from './writes/chains';

/**
 * Explains how mail to an address is routed. Destinations come from the SQL function that the mail server uses.
 * @throws the errors of authorizeDomain
 */
export async function resolveAddress(ctx: ActorContext, input: ResolveAddress): Promise<Resolution> {
  const { local, domain: name } = parseAddress(input.address) as { local: string; domain: string };
  const domain = await authorizeDomain(ctx, { name }, { allowInactive: true });
  const localPart = local.toLowerCase();
  const untagged = withoutTag(localPart);
  const [mailboxes, aliases, rows] = await Promise.all([
    ctx.db.mailbox.findMany({
      where: { domainId: domain.id, localPart: { in: [localPart, untagged] } },
      select: { id: true, localPart: true, active: true },
    }),
    ctx.db.alias.findMany({
      where: { domainId: domain.id, sourceLocalPart: { in: [localPart, untagged, ''] } },
      select: { id: true, sourceLocalPart: true, destination: true, active: true },
    }),
    ctx.db.$queryRaw<{ address: string }[]>`SELECT mta.resolve(${local}, ${name}) AS address`,
  ]);
  const destinations = rows.map((row) => row.address);
  const mailboxOf = (name: string) => mailboxes.find((candidate) => candidate.localPart === name);
  const aliasOf = (name: string) => aliases.find(({ sourceLocalPart }) => sourceLocalPart === name);
  const isMatch = (name: string) => name !== '' && (mailboxOf(name)?.active || aliasOf(name)?.active);
  const matched = [localPart, untagged].find(isMatch) ?? localPart;
  const subject = matched === localPart ? 'this address' : `${matched}@${name}, this address without its tag`;
  const [mailbox, exact, catchAll] = [mailboxOf(matched), aliasOf(matched), aliasOf('')];
  const base = { address: `${local}@${name}`, domain_id: domain.id, alias_id: null, mailbox_id: null, dropped: [] };

  if (!domain.active) {
    const explanation = `The domain ${name} is inactive, so its mail is rejected.`;
    return { ...base, outcome: 'rejected', explanation, destinations };
  }
  if (mailbox?.active) {
    const explanation = exact?.active
      ? `A mailbox has ${subject}. It takes precedence over the alias with the same address, which receives nothing.`
      : `A mailbox has ${subject}.`;
    return { ...base, outcome: 'mailbox', mailbox_id: mailbox.id, explanation, destinations };
  }
  if (!exact?.active && destinations[0] && REPORT_ADDRESSES.includes(withoutTag(localPart))) {
    const explanation = 'No active mailbox or alias has this address, so its mail is read as DMARC and TLS reports.';
    return { ...base, outcome: 'reports', explanation, destinations };
  }
  const alias = [exact, catchAll].find((candidate) => candidate?.active);
  if (!alias) {
    return { ...base, outcome: 'rejected', explanation: explainRejection(mailbox, exact, catchAll), destinations };
  }
  const kept = new Set(destinations.map((destination) => destination.toLowerCase()));
  const dropped = keysOf(alias.destination).filter((key) => !kept.has(key) && !kept.has(withoutTagIn(key)));
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
      ? `An alias has ${subject}, and no active mailbox does.`
      : 'No active mailbox or alias has this address, so the domain’s catch-all receives the mail.',
  };
}

/** `ann` of `ann+shop`, as in mta.resolve. */
function withoutTag(localPart: string): string {
  return localPart.split('+', 1)[0] ?? '';
}

function withoutTagIn(address: string): string {
  const at = address.lastIndexOf('@');
  return `${withoutTag(address.slice(0, at))}${address.slice(at)}`;
}

const REPORT_ADDRESSES: readonly string[] = Object.values(REPORT_LOCAL_PARTS);

type Candidate = { active: boolean } | null | undefined;

function explainRejection(mailbox: Candidate, exact: Candidate, catchAll: Candidate): string {
  const inactive = [mailbox && 'mailbox', exact && 'alias', catchAll && 'catch-all'].filter(Boolean);
  if (inactive.length === 0) return 'No mailbox or alias has this address, and the domain has no catch-all.';
  return `No active mailbox or alias receives mail for this address. Inactive: ${inactive.join(', ')}.`;
}
