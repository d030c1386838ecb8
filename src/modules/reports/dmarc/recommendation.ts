import { formatCount, formatPlural } from '@/lib/format';
import { isPartial, recordWith } from './policy';
import type { DmarcPolicy, DmarcRecommendation, DmarcTotals, PublishedPolicy } from './schema';
import type { Affected } from './sums';

const MIN_DAYS = 14;
const MIN_REPORTS = 10;
/** Forwarders break some mail of every domain. */
const MAX_FAILED_SHARE = 0.01;

export type Evidence = {
  policy: PublishedPolicy;
  address: string;
  totals: DmarcTotals;
  reportedDays: number;
  legitimate: Affected['legitimate'];
};

/** The next step towards `reject`: only one, and only if reports of the last 30 days show that it loses no mail. */
export function recommend(evidence: Evidence): DmarcRecommendation {
  const { policy, address } = evidence;
  const { to, reason } = nextStep(evidence);
  return { policy: to, record: recordWith(policy, to, address), reason, evidence: facts(evidence) };
}

function nextStep(evidence: Evidence): { to: DmarcPolicy; reason: string } {
  const { policy, totals, reportedDays, legitimate } = evidence;
  const current = policy.p ?? 'none';
  if (!policy.record) return { to: 'none', reason: 'The domain has no DMARC record. Publish one to receive reports.' };
  if (totals.reports === 0 && !policy.reports_to_us) {
    return { to: current, reason: 'Reports go elsewhere. Add the address to the record to receive them here.' };
  }
  if (totals.reports < MIN_REPORTS || reportedDays < MIN_DAYS) {
    return {
      to: current,
      reason: `Wait for ${MIN_REPORTS} reports about ${MIN_DAYS} days before you change the policy.`,
    };
  }
  if (legitimate.ownFailed > 0) {
    return { to: current, reason: `Fix your own mail first: ${failing(legitimate.ownFailed)}.` };
  }
  if (legitimate.messages === 0) {
    return { to: current, reason: 'No mail of yours is in the reports, so they don’t show whether it passes.' };
  }
  if (legitimate.failed > legitimate.messages * MAX_FAILED_SHARE) {
    return { to: current, reason: `Fix the sources that send for you first: ${failing(legitimate.failed)}.` };
  }
  return stricter(current, isPartial(policy));
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

function facts({ totals, reportedDays, legitimate }: Evidence): string[] {
  if (totals.reports === 0) return [];
  const passed = legitimate.messages - legitimate.failed;
  return [
    `${formatPlural(totals.reports, 'report')} about ${formatPlural(reportedDays, 'day')} from ${formatPlural(totals.organisations, 'organization')}.`,
    `${formatCount(passed)} of ${formatPlural(legitimate.messages, 'message')} from your sources pass.`,
    `${formatPlural(totals.messages - legitimate.messages, 'message')} from other sources, none of which pass.`,
  ];
}
