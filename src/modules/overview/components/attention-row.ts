import type { Status } from '@/components/marks/status-mark';
import { firstRows } from '@/lib/lists';
import type { AttentionItem, AttentionSection } from '../schema';

export type AttentionRow = {
  key: string;
  /** The kind of problem that a row about an object is listed for. */
  kind?: AttentionItem['kind'];
  section?: AttentionSection;
  status: Status;
  label: string;
  /** The kind of the object. */
  object: string;
  subject: string;
  reason: string;
  href: string;
  action: string;
  /** Since when, if that is known. */
  at: string | null;
  /** Objects of the same kind that have no row. */
  more?: More[];
};

/** Objects without a row, and how many of them are problems rather than warnings. */
type More = { count: number; problems: number; text: string; href: string };

const SHOWN_FIRST = 8;

const PROBLEMS: ReadonlySet<Status> = new Set(['failed', 'bounced']);

const isProblem = ({ status }: AttentionRow) => PROBLEMS.has(status);

/** The rows that are shown before all are asked for: all problems, which come first. Only warnings are cut. */
export function rowsShownFirst(rows: AttentionRow[]): AttentionRow[] {
  return firstRows(rows, Math.max(SHOWN_FIRST, rows.filter(isProblem).length));
}

/** How many objects the rows stand for. */
export function countObjects(rows: AttentionRow[]): { problems: number; warnings: number } {
  const more = rows.flatMap((row) => row.more ?? []);
  const sumOf = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);
  const problems = rows.filter(isProblem).length + sumOf(more.map((unlisted) => unlisted.problems));
  return { problems, warnings: rows.length + sumOf(more.map(({ count }) => count)) - problems };
}
