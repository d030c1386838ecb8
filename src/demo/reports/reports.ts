import { organizationOf } from '@/lib/mail/organization';
import type { ParsedDmarc, ParsedTls } from '@/modules/reports/reading/report';
import { storeReport } from '@/modules/reports/storing/store';
import type { DemoContext } from '../demo-context';
import { scaled } from '../demo-context';
import type { DemoDomain } from '../directory/domains';
import { before, DAY_MS, HOUR_MS } from '../time';
import { ORGANISATIONS, type Organisation, rowsOf, SOURCES } from './sources';

const DOMAINS = 4;
const DAYS = 30;
const MX_HOST = 'mail.postroom.example';
/** The first is enforced; the others in turn. */
const POLICIES = ['quarantine', 'quarantine', 'none', 'reject'] as const;

/** A month of DMARC and TLS reports about the largest domains. */
export async function seedReports(ctx: DemoContext, domains: readonly DemoDomain[]): Promise<void> {
  const { tx, now } = ctx;
  const days = scaled(ctx, DAYS, 8);
  for (const [index, domain] of domains.slice(0, DOMAINS).entries()) {
    for (let age = days; age >= 1; age -= 1) {
      const begin = startOfDay(before(now, age * DAY_MS));
      const at = new Date(Math.min(now.getTime(), begin.getTime() + DAY_MS + 7 * HOUR_MS));
      for (const organisation of ORGANISATIONS) {
        const sender = { domain: organizationOf(organisation.contact.replace(/^.*@/, '')), isAuthenticated: true };
        const options = { domainId: domain.id, source: 'mail', sender, at } as const;
        await storeReport(tx, dmarcReport(ctx, { domain, index, organisation, begin, age }), options);
        if (index < 2 && organisation.sendsTls) {
          await storeReport(tx, tlsReport(ctx, { domain, organisation, begin, age }), options);
        }
      }
    }
  }
  for (const { ip, hostname, organisation } of SOURCES) {
    // Nobody answers the demo's DNS questions.
    const nextLookupAt = new Date('2100-01-01');
    await tx.reportHost.updateMany({ where: { ip }, data: { hostname, organisation, lookedUpAt: now, nextLookupAt } });
  }
}

type About = { domain: DemoDomain; organisation: Organisation; begin: Date; age: number };

function dmarcReport({ random }: DemoContext, about: About & { index: number }): ParsedDmarc {
  const { domain, organisation, begin, index } = about;
  const p = POLICIES[index] ?? 'none';
  return {
    kind: 'dmarc',
    ...senderOf(about),
    policy: {
      domain: domain.name,
      p,
      sp: p,
      np: null,
      adkim: 'r',
      aspf: 'r',
      pct: '100',
      fo: null,
      testing: null,
      discovery_method: null,
    },
    errors: [],
    rows: rowsOf(random, { domain: domain.name, index, age: about.age, share: organisation.share, policy: p }),
    reportId: `${domain.name}!${begin.getTime() / 1000}`,
  };
}

function tlsReport({ random }: DemoContext, about: About): ParsedTls {
  const sessions = random.int(40, 260);
  // The certificate was renewed late.
  const failed = about.age === 12 || about.age === 13 ? random.int(6, 30) : 0;
  return {
    kind: 'tls',
    ...senderOf(about),
    reportId: `${about.begin.toISOString().slice(0, 10)}-${about.domain.name}`,
    policies: [
      {
        type: 'sts',
        strings: ['version: STSv1', 'mode: testing', `mx: ${MX_HOST}`, 'max_age: 86400'],
        mx_hosts: [MX_HOST],
        sessions: sessions + failed,
        failed_sessions: failed,
      },
    ],
    failures:
      failed === 0
        ? []
        : [
            {
              resultType: 'certificate-expired',
              mxHost: MX_HOST,
              sendingIp: '203.0.113.140',
              receivingIp: '198.51.100.24',
              receivingHelo: MX_HOST,
              sessions: failed,
              reasonCode: null,
              additionalInformation: null,
            },
          ],
  };
}

function senderOf({ domain, organisation, begin }: About) {
  const { name, contact } = organisation;
  const end = new Date(begin.getTime() + DAY_MS - 1000);
  return { domain: domain.name, organisation: name, contact, begin, end, isTruncated: false, leftOut: [] };
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}
