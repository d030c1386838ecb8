import { formatCount } from '@/lib/format';
import { ROUTES } from '@/lib/routes';
import type { Attention, AttentionItem, AttentionSection } from '../schema';
import type { AttentionRow } from './attention-row';

/** Objects of a section that need attention, too, beyond the five that are listed. */
type Unlisted = { section: AttentionSection; kind?: AttentionItem['kind']; count: number; text: string; href: string };

export function unlistedOf(shown: AttentionItem[], attention: Attention, domain: string | null): Unlisted[] {
  const sections = new Set(shown.map(({ section }) => section));
  return [...sections].flatMap((section) => {
    const count = (attention.counts[section] ?? 0) - shown.filter((item) => item.section === section).length;
    if (count <= 0) return [];
    if (section !== 'mailboxes')
      return [{ section, count, text: `${formatCount(count)} more in ${nameOf(section)}`, href: pageOf(section) }];
    const suspended = attention.suspended_mailboxes - shown.filter(({ kind }) => kind === 'mailbox_suspended').length;
    return unlistedMailboxes(count, Math.max(0, Math.min(count, suspended)), domain);
  });
}

function unlistedMailboxes(count: number, suspended: number, domain: string | null): Unlisted[] {
  const of = (kind: AttentionItem['kind'], number: number, words: string, show: string): Unlisted => ({
    section: 'mailboxes',
    kind,
    count: number,
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
  return unlisted.reduce((all, { section, kind, count, text, href }) => {
    const last = (isSame: (row: AttentionRow) => boolean) => all.findLast(isSame);
    const host =
      (kind && last((row) => row.kind === kind)) ?? last((row) => row.section === section) ?? all[all.length - 1];
    return all.map((row) => (row === host ? { ...row, more: [...(row.more ?? []), { count, text, href }] } : row));
  }, rows);
}

export function pageOf(section: AttentionSection): string {
  return ROUTES.find(({ icon }) => icon === section)?.href ?? '/';
}

function nameOf(section: AttentionSection): string {
  return ROUTES.find(({ icon }) => icon === section)?.label ?? '';
}
