import { formatCount, formatPlural } from '@/lib/format';
import type { DmarcPolicy } from '@/lib/mail/dmarc';
import { isPartial, recordWith } from './policy';
import type { DmarcRecommendation, DmarcTotals, PublishedPolicy } from './schema';
import type { Affected } from './sums';

const MIN_DAYS = 14;
const MIN_REPORTS = 10;
const MIN_MESSAGES = 50;
/** Forwarders break some mail of every domain. */
const MAX_FAILED_SHARE = 0.01;

export type Evidence = {
  policy: PublishedPolicy;
  address: string;
  /** The records that the last DNS check found missing or wrong. */
  broken: ('DKIM' | 'SPF')[];
  /** Totals of reports whose sender is confirmed, and of uploads. */
  totals: DmarcTotals;
  /** Reports whose sender isn't confirmed. */
  unconfirmed: number;
  reportedDays: number;
  legitimate: Affected['legitimate'];
};

/** The next step towards `reject`: only one, and only if reports of the last 30 days show that it loses no mail. */
export function recommend(evidence: Evidence): DmarcRecommendation {
  const { policy, address } = evidence;
  const { to, reason } = nextStep(evidence);
  const isUnchanged = policy.inherited_from !== null && to === policy.p;
  return {
    policy: to,
    record: isUnchanged && policy.record ? policy.record : recordWith(policy, to, address),
    reason:
      policy.inherited_from === null ? reason : `The policy is inherited from ${policy.inherited_from}. ${reason}`,
    evidence: facts(evidence),
  };
}

function nextStep(evidence: Evidence): { to: DmarcPolicy; reason: string } {
  const { policy } = evidence;
  const current = policy.p ?? 'none';
  if (!policy.record) return { to: 'none', reason: 'The domain has no DMARC record. Publish one to receive reports.' };
  const obstacle = obstacleIn(evidence);
  return obstacle ? { to: current, reason: obstacle } : stricter(current, isPartial(policy));
}

/** Why a stricter policy has to wait. */
function obstacleIn({ policy, broken, totals, reportedDays, legitimate }: Evidence): string | null {
  if (totals.reports === 0 && !policy.reports_to_us && policy.inherited_from === null) {
    return 'Reports go elsewhere. Add the address to the record to receive them here.';
  }
  if (broken.length > 0) {
    const records = broken.length > 1 ? `${broken.join(' and ')} records` : `${broken[0]} record`;
    return `Fix the ${records} first. Your own mail may fail without.`;
  }
  if (totals.reports < MIN_REPORTS || reportedDays < MIN_DAYS) {
    return `Wait for ${MIN_REPORTS} reports about ${MIN_DAYS} days before you change the policy.`;
  }
  if (legitimate.ownFailed > 0) return `Fix your own mail first: ${failing(legitimate.ownFailed)}.`;
  if (legitimate.messages === 0) return 'No mail of yours is in the reports, so they don’t show whether it passes.';
  if (legitimate.messages < MIN_MESSAGES) {
    return `Wait for ${MIN_MESSAGES} messages of yours in the reports before you change the policy.`;
  }
  if (legitimate.failed > legitimate.messages * MAX_FAILED_SHARE) {
    return `Fix the sources that send for you first: ${failing(legitimate.failed)}.`;
  }
  return null;
}

function stricter(current: DmarcPolicy, isPartially: boolean): { to: DmarcPolicy; reason: string } {
  if (current === 'none')
    return { to: 'quarantine', reason: 'Your mail passes. Forged mail can go to the spam folder.' };
  if (isPartially) return { to: current, reason: 'Your mail passes. Apply the policy to all mail.' };
  if (current === 'quarantine') return { to: 'reject', reason: 'Your mail passes. Forged mail can be rejected.' };
  return { to: 'reject', reason: 'Forged mail is rejected. There is nothing to change.' };
}

function failing(count: number): string {
  return `${formatPlural(count, 'message fails', 'messages fail')}`;
}

function facts({ totals, reportedDays, legitimate, unconfirmed }: Evidence): string[] {
  const ignored = `${formatPlural(unconfirmed, 'report isn’t', 'reports aren’t')} counted here: the sender isn’t confirmed.`;
  const ignoredOnes = unconfirmed === 0 ? [] : [ignored];
  if (totals.reports === 0) return ignoredOnes;
  const passed = legitimate.messages - legitimate.failed;
  return [
    `${formatPlural(totals.reports, 'report')} about ${formatPlural(reportedDays, 'day')} from ${formatPlural(totals.organisations, 'organization')}.`,
    `${formatCount(passed)} of ${formatPlural(legitimate.messages, 'message')} from your sources pass.`,
    `${formatPlural(totals.messages - legitimate.messages, 'message')} from other sources, none of which pass.`,
    ...ignoredOnes,
  ];
}
