import { checkWith, expectedRecords } from '@/modules/domains/dns/checking/check';
import { factsOf } from '@/modules/domains/dns/checking/facts';
import type { DomainFacts } from '@/modules/domains/dns/records/record';
import { storeCheck } from '@/modules/domains/dns/results/store';
import { MTA_STS_PATH, mtaStsPolicy } from '@/modules/domains/published/mta-sts';
import type { DemoContext } from '../demo-context';
import { after, before, DAY_MS, MINUTE_MS } from '../time';
import { type DemoZone, resolverOf, zoneWith } from './dns-zones';
import { type DemoDomain, WITHOUT_KEY } from './domains';

/** As in scripts/demo.mjs. */
const MAIL_HOST = 'mail.postroom.example';

type Change = (zone: DemoZone, facts: DomainFacts) => DemoZone;
type Check = { at: Date; change: Change };

/** Stores the results of checks of the domains' DNS, from the day after they were added until today. */
export async function seedDns(ctx: DemoContext, domains: readonly DemoDomain[]): Promise<void> {
  for (const [index, domain] of domains.entries()) {
    if (WITHOUT_KEY.has(domain.name)) continue;
    const found = await factsOf(ctx.tx, domain.id);
    if (!found) throw new Error(`the demo has no domain ${domain.name}`);
    const facts = { ...found, mailHost: MAIL_HOST };
    const complete = zoneWith(facts, expectedRecords(facts));
    for (const { at, change } of checksOf(ctx, domain, index)) {
      const resolver = resolverOf(change(complete, facts), index === 3 ? { oldSpf: domain.name } : {});
      const checked = await checkWith(resolver, facts, { fetchText: policyOf(facts) });
      await storeCheck(ctx.tx, domain.id, { checked, at });
    }
  }
}

/** The policy that this server publishes for the domain. */
function policyOf(facts: DomainFacts) {
  return async (url: string) =>
    url === `https://mta-sts.${facts.name}${MTA_STS_PATH}`
      ? { text: mtaStsPolicy(facts) }
      : { failure: 'The host has no address.' };
}

function checksOf({ now, random }: DemoContext, domain: DemoDomain, index: number): Check[] {
  const last = before(now, random.int(3, 55) * MINUTE_MS);
  const ago = (days: number) => before(now, days * DAY_MS + random.int(5, 55) * MINUTE_MS);
  const added = { at: after(domain.createdAt, 20 * MINUTE_MS), change: nothingPublished };
  const published = { at: after(domain.createdAt, DAY_MS), change: withoutExtras };
  if (!domain.active) return [added, published, { at: ago(30), change: movedAway }, { at: last, change: movedAway }];
  const plans: Check[][] = [
    [
      { at: ago(40), change: withoutReports },
      { at: ago(11), change: weakSpf },
      { at: ago(10.8), change: unchanged },
    ],
    [
      { at: ago(9), change: unchanged },
      { at: ago(2), change: oldKeyAndNoPolicy },
    ],
    [
      { at: ago(64), change: unchanged },
      { at: ago(20), change: monitoringOnly },
    ],
    [{ at: ago(0.4), change: unchanged }],
    [{ at: ago(3), change: withoutExtras }],
    [{ at: ago(1.2), change: twoSpfRecords }],
  ];
  const plan = plans[index < plans.length ? index : index % 2 === 0 ? 0 : 4] ?? [];
  return [added, published, ...plan, { at: last, change: plan.at(-1)?.change ?? unchanged }];
}

const unchanged: Change = (zone) => zone;

const nothingPublished: Change = (_, { name }) => ({ [`TXT ${name}`]: ['registrar-verification=81c2f7'] });

const withoutExtras: Change = (zone, { name }) =>
  without(zone, [`SRV _imaps._tcp.${name}`, `TXT _smtp._tls.${name}`, `TXT _postroom.${name}`]);

const withoutReports: Change = (zone, { name }) => without(zone, [`TXT _smtp._tls.${name}`]);

const weakSpf: Change = (zone, { name }) => ({
  ...zone,
  [`TXT ${name}`]: ['v=spf1 mx include:_spf.shop.example ?all'],
});

const twoSpfRecords: Change = (zone, { name }) => ({
  ...zone,
  [`TXT ${name}`]: ['v=spf1 mx -all', 'v=spf1 include:_spf.newsletter.example ~all'],
});

const monitoringOnly: Change = (zone, { name }) => ({
  ...zone,
  [`TXT _dmarc.${name}`]: [`v=DMARC1; p=none; rua=mailto:dmarc-reports@${name}`],
});

/** The DNS provider restored a backup from before the key was rotated. */
const oldKeyAndNoPolicy: Change = (zone, { name, dkimKeys }) => {
  const active = dkimKeys.find(({ status }) => status === 'active');
  const record = `TXT ${active?.selector}._domainkey.${name}`;
  return {
    ...without(zone, [`TXT _mta-sts.${name}`, `CNAME mta-sts.${name}`]),
    [record]: (zone[record] ?? []).map((value) => value.replace(/(p=.{44}).{96}/, `$1${OLD_KEY}`)),
  };
};

const movedAway: Change = (zone, { name }) => ({
  ...zone,
  [`MX ${name}`]: ['10 mx1.other-provider.example'],
  [`TXT ${name}`]: ['v=spf1 include:_spf.other-provider.example -all'],
  'A mx1.other-provider.example': ['203.0.113.77'],
});

const OLD_KEY = 'u8Yw2LqkP0vX5nB1sJdT7mRzGc9HfE3oAiKbUeQxVtNyWlSjMgCrZhDpOFI4a6TnQ2xk81Lz0PaYvReWcBtHnUmJqSdKfGhX';

function without(zone: DemoZone, records: string[]): DemoZone {
  return Object.fromEntries(Object.entries(zone).filter(([record]) => !records.includes(record)));
}
