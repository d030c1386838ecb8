import { formatCount } from '@/lib/format';
import { ROUTES } from '@/lib/routes';
import type { Attention, AttentionItem, AttentionSection } from '../schema';
import type { AttentionRow } from './attention-row';

/** Objects of a section that need attention, too, beyond the five that are listed. */
type Unlisted = {
  section: AttentionSection;
  kind?: AttentionItem['kind'];
  count: number;
  problems: number;
  text: string;
  href: string;
};

export function unlistedOf(shown: AttentionItem[], attention: Attention, domain: string | null): Unlisted[] {
  const sections = new Set(shown.map(({ section }) => section));
  return [...sections].flatMap((section) => {
    const count = (attention.counts[section] ?? 0) - shown.filter((item) => item.section === section).length;
    if (count <= 0) return [];
    const problems = problemsAmong(count, section, shown, attention);
    if (section !== 'mailboxes')
      return [
        { section, count, problems, text: `${formatCount(count)} more in ${nameOf(section)}`, href: pageOf(section) },
      ];
    const suspended = attention.suspended_mailboxes - shown.filter(({ kind }) => kind === 'mailbox_suspended').length;
    return unlistedMailboxes({ count, suspended: Math.max(0, Math.min(count, suspended)), problems }, domain);
  });
}

/** Critical ones are listed before the others. Of alerts, the counts include those that have no row of their own. */
function problemsAmong(
  count: number,
  section: AttentionSection,
  shown: AttentionItem[],
  { critical_counts: criticalCounts }: Attention,
): number {
  const listed = shown.filter((item) => item.section === section);
  if (listed.some(({ severity }) => severity !== 'critical')) return 0;
  return section === 'alerts' ? count : Math.max(0, Math.min(count, (criticalCounts[section] ?? 0) - listed.length));
}

type Mailboxes = { count: number; suspended: number; problems: number };

function unlistedMailboxes({ count, suspended, problems }: Mailboxes, domain: string | null): Unlisted[] {
  const ofSuspended = Math.min(suspended, problems);
  const of = (kind: AttentionItem['kind'], number: number, words: string, show: string): Unlisted => ({
    section: 'mailboxes',
    kind,
    count: number,
    problems: kind === 'mailbox_suspended' ? ofSuspended : problems - ofSuspended,
    text: `${formatCount(number)} more ${words}`,
    href: `${pageOf('mailboxes')}?${new URLSearchParams({ ...(domain && { domain }), show })}`,
  });
  return [
    of('mailbox_suspended', suspended, 'suspended', 'suspended'),
    of('mailbox_full', count - suspended, 'nearly full', 'full'),
  ].filter(({ count: number }) => number > 0);
}

/** Adds them to the last row of the same kind, or else of the same section. */
export function withUnlisted(rows: AttentionRow[], unlisted: Unlisted[]): AttentionRow[] {
  return unlisted.reduce((all, { section, kind, ...more }) => {
    const last = (isSame: (row: AttentionRow) => boolean) => all.findLast(isSame);
    const host =
      (kind && last((row) => row.kind === kind)) ?? last((row) => row.section === section) ?? all[all.length - 1];
    return all.map((row) => (row === host ? { ...row, more: [...(row.more ?? []), more] } : row));
  }, rows);
}

export function pageOf(section: AttentionSection): string {
  return ROUTES.find(({ icon }) => icon === section)?.href ?? '/';
}

function nameOf(section: AttentionSection): string {
  return ROUTES.find(({ icon }) => icon === section)?.label ?? '';
}
