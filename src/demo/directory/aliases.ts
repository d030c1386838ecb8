import { type DemoContext, scaled } from '../demo-context';
import { before, DAY_MS } from '../time';
import type { DemoDomain } from './domains';
import { type DemoMailbox, sizesOf } from './mailboxes';
import { localPartOf, randomPerson } from './names';

export type DemoAlias = {
  /** For a catch-all, an address that no mailbox or other alias has. */
  address: string;
  domain: DemoDomain;
  active: boolean;
  /** Destinations with an active mailbox here, and external ones. */
  mailboxes: DemoMailbox[];
  elsewhere: string[];
};

const SOURCES = [
  'abuse accessibility all anna admin admissions archive billing board bookings careers catering claims contact contracts',
  'customer-care data-protection delivery design dispatch donations editor events facilities feedback finance frontdesk gdpr',
  'helpdesk hr invoices it jobs kitchen legal letters marketing membership news newsletter night-desk no-reply onboarding',
  'orders parents partners payroll postmaster press privacy projects purchasing quality rentals repairs reservations returns',
  'safety security service shop showroom studio suppliers team tickets training volunteers warehouse webmaster welcome workshop',
]
  .join(' ')
  .split(' ');

const ELSEWHERE = ['fastpost.example', 'inboxly.example', 'bookworks.example', 'outsourced-desk.example'];

type Target = { destination: string; mailboxes: DemoMailbox[]; elsewhere: string[] };

export async function seedAliases(
  ctx: DemoContext,
  domains: readonly DemoDomain[],
  mailboxes: readonly DemoMailbox[],
): Promise<DemoAlias[]> {
  const { tx, now, random } = ctx;
  const count = scaled(ctx, 500, 60);
  const taken = new Set(mailboxes.map(({ address }) => address));
  const sizes = sizesOf(domains, count);
  const rows = domains.flatMap((domain, index) => {
    const perDomain = sizes[index] ?? 1;
    const own = mailboxes.filter((mailbox) => mailbox.domain.id === domain.id && mailbox.active);
    const sources = random.sample(
      SOURCES.filter((source) => !taken.has(`${source}@${domain.name}`)),
      index % 4 === 2 ? perDomain - 1 : perDomain,
    );
    const catchAll = index % 4 === 2 ? [''] : [];
    // A mailbox with the same address gets the mail instead; the console warns about it.
    const hidden = index % 13 === 5 ? own.slice(0, 1).map(({ address }) => address.split('@')[0] ?? '') : [];
    return [...catchAll, ...hidden, ...sources].slice(0, perDomain).map((source) => ({
      domain,
      source,
      target: targetOf(ctx, domain, own, mailboxes),
      active: random.chance(0.94),
      createdAt: new Date(Math.max(domain.createdAt.getTime(), before(now, random.int(3, 500) * DAY_MS).getTime())),
    }));
  });
  const kept = rows.slice(0, count);
  await tx.alias.createMany({
    data: kept.map(({ domain, source, target, active, createdAt }) => ({
      id: random.uuidAt(createdAt),
      domainId: domain.id,
      sourceLocalPart: source,
      destination: target.destination,
      active,
      createdAt,
      updatedAt: createdAt,
    })),
  });
  return kept
    .filter(({ domain, source }) => !taken.has(`${source}@${domain.name}`))
    .map(({ domain, source, target: { destination: _, ...target }, active }) => {
      const local = source || localPartOf(randomPerson(random)).replace('.', '-');
      return { address: `${local}@${domain.name}`, domain, active, ...target };
    });
}

/** Destinations are never aliases: mailboxes, missing addresses, or external ones. */
function targetOf(
  { random }: DemoContext,
  { name }: DemoDomain,
  own: readonly DemoMailbox[],
  all: readonly DemoMailbox[],
): Target {
  const kind = random.weighted([
    ['one', 62],
    ['team', 18],
    ['elsewhere', 10],
    ['other', 6],
    ['gone', 4],
  ] as const);
  const inside = own.length > 0 ? own : all.filter(({ active, domain }) => active && domain.active);
  const outside = `${localPartOf(randomPerson(random))}@${random.pick(ELSEWHERE)}`;
  const one = random.pick(inside);
  if (kind === 'elsewhere') return { destination: outside, mailboxes: [], elsewhere: [outside] };
  if (kind === 'gone') {
    // A former employee: this address no longer has a mailbox.
    const former = `former.${localPartOf(randomPerson(random)).split('.')[1]}@${name}`;
    return { destination: `${one.address},${former}`, mailboxes: [one], elsewhere: [] };
  }
  if (kind === 'one') return { destination: one.address, mailboxes: [one], elsewhere: [] };
  const others = kind === 'other' ? random.sample(all.filter(isReachable), 1) : random.sample(inside, random.int(2, 5));
  const mailboxes = [...new Set([one, ...others])];
  const elsewhere = random.chance(0.2) ? [outside] : [];
  return { destination: [...mailboxes.map(({ address }) => address), ...elsewhere].join(','), mailboxes, elsewhere };
}

function isReachable({ active, domain }: DemoMailbox): boolean {
  return active && domain.active;
}
