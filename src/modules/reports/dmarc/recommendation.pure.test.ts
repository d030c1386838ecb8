import { describe, expect, it } from 'vitest';
import { DMARC_POLICIES } from '@/lib/mail/dmarc';
import { publishedPolicy } from './policy';
import { type Evidence, recommend } from './recommendation';

const ADDRESS = 'dmarc-reports@shop.example';
const TOTALS = {
  organisations: 3,
  aligned: 900,
  dkim_aligned: 900,
  spf_aligned: 900,
  failed: 100,
  unknown: 0,
  quarantined: 0,
  rejected: 0,
};

type Over = Partial<Evidence['legitimate'] & Pick<Evidence, 'broken' | 'unconfirmed'>> & {
  reports?: number;
  days?: number;
  inheritedFrom?: string;
  applied?: 'quarantine';
};

function step(record: string | null, over: Over = {}) {
  const {
    reports = 40,
    days = 28,
    broken = [],
    unconfirmed = 0,
    inheritedFrom = null,
    applied = ownPolicy(record),
    ...legitimate
  } = over;
  return recommend({
    policy: publishedPolicy(record, { ownAddresses: [ADDRESS], inheritedFrom, applied }),
    broken,
    unconfirmed,
    address: ADDRESS,
    totals: { reports, messages: reports === 0 ? 0 : 1_000, ...TOTALS },
    reportedDays: days,
    legitimate: { messages: 900, failed: 0, ownFailed: 0, ...legitimate },
  });
}

function ownPolicy(record: string | null) {
  return DMARC_POLICIES.find((policy) => record?.includes(` p=${policy}`)) ?? null;
}

describe('with enough reports in which our mail passes, the next policy', () => {
  it.each([
    ['none', 'quarantine'],
    ['quarantine', 'reject'],
    ['reject', 'reject'],
  ])('after %s is %s', (p, next) => {
    const { policy, record } = step(`v=DMARC1; p=${p}; rua=mailto:${ADDRESS}`);
    expect([policy, record]).toEqual([next, `v=DMARC1; p=${next}; rua=mailto:${ADDRESS}`]);
  });

  it('after one for part of the mail is the same for all of it', () => {
    const { policy, record } = step(`v=DMARC1; p=quarantine; pct=20; t=y; rua=mailto:${ADDRESS}`);
    expect([policy, record]).toEqual(['quarantine', `v=DMARC1; p=quarantine; rua=mailto:${ADDRESS}`]);
  });

  it('keeps the other tags, and other addresses of reports', () => {
    const { record } = step('v=DMARC1; p=none; sp=none; adkim=s; fo=1; rua=mailto:a@far.example!10m');
    expect(record).toBe(`v=DMARC1; p=quarantine; sp=none; adkim=s; fo=1; rua=mailto:a@far.example,mailto:${ADDRESS}`);
  });

  it('names its evidence', () => {
    expect(step(`v=DMARC1; p=none; rua=mailto:${ADDRESS}`, { failed: 4 }).evidence).toEqual([
      '40 reports about 28 days from 3 organizations.',
      '896 of 900 messages from your sources pass.',
      '100 messages from other sources, none of which pass.',
    ]);
  });
});

describe('an inherited policy', () => {
  const PARENT = `v=DMARC1; p=reject; sp=quarantine; np=reject; psd=n; adkim=s; rua=mailto:${ADDRESS}`;
  const INHERITED = { inheritedFrom: 'far.example', applied: 'quarantine' } as const;

  it('is the one for subdomains, and needs no record here while it stays', () => {
    const { policy, record, reason } = step(PARENT, { ...INHERITED, reports: 9 });
    expect([policy, record]).toEqual(['quarantine', PARENT]);
    expect(reason).toMatch(/^The policy is inherited from far\.example\. Wait for /);
  });

  it('becomes stricter by a record of the domain’s own', () => {
    const { policy, record } = step(PARENT, INHERITED);
    expect([policy, record]).toEqual(['reject', `v=DMARC1; p=reject; adkim=s; rua=mailto:${ADDRESS}`]);
  });
});

it('the evidence says how many reports don’t count', () => {
  expect(step(`v=DMARC1; p=none; rua=mailto:${ADDRESS}`, { unconfirmed: 3 }).evidence.at(-1)).toBe(
    '3 reports aren’t counted here: the sender isn’t confirmed.',
  );
});

describe('the policy stays', () => {
  it.each<[string, Over, string]>([
    ['with few reports', { reports: 9 }, 'Wait for 10 reports about 14 days before you change the policy.'],
    ['with reports of few days', { days: 13 }, 'Wait for 10 reports about 14 days before you change the policy.'],
    ['while DKIM is broken', { broken: ['DKIM'] }, 'Fix the DKIM record first. Your own mail may fail without.'],
    [
      'while DKIM and SPF are broken',
      { broken: ['DKIM', 'SPF'] },
      'Fix the DKIM and SPF records first. Your own mail may fail without.',
    ],
    [
      'with little mail of ours',
      { messages: 49 },
      'Wait for 50 messages of yours in the reports before you change the policy.',
    ],
    ['while our own mail fails', { ownFailed: 1, failed: 1 }, 'Fix your own mail first: 1 message fails.'],
    [
      'while much mail of others that send for us fails',
      { failed: 10 },
      'Fix the sources that send for you first: 10 messages fail.',
    ],
    [
      'without mail of ours',
      { messages: 0 },
      'No mail of yours is in the reports, so they don’t show whether it passes.',
    ],
  ])('%s', (_name, over, reason) => {
    expect(step(`v=DMARC1; p=none; rua=mailto:${ADDRESS}`, over)).toMatchObject({ policy: 'none', reason });
  });

  it('until reports arrive here', () => {
    expect(step('v=DMARC1; p=reject', { reports: 0 })).toMatchObject({
      policy: 'reject',
      record: `v=DMARC1; p=reject; rua=mailto:${ADDRESS}`,
      evidence: [],
    });
    expect(step(null, { reports: 0 })).toMatchObject({
      policy: 'none',
      record: `v=DMARC1; p=none; rua=mailto:${ADDRESS}`,
    });
  });
});
