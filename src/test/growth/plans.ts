import pg from 'pg';
import { afterAll, expect, vi } from 'vitest';
import '../database';

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
};

export type Reading = {
  /** Tables that are read from start to end. */
  scanned: string[];
  /** Pages of tables and indexes, of 8 KB each. */
  pages: number;
  /** Rows of the tables, those that a condition then left out included. */
  rows: number;
};

/** Measures the reads of a call's queries. Small tables are left out, because Postgres scans them anyway. */
export async function readingOf(call: () => Promise<{ status: number }>, tables: string[]): Promise<Reading> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const response = await call();
  const queries = spy.mock.calls.map(([query]) => query as unknown as { text?: string; values?: unknown[] });
  spy.mockRestore();
  expect(response.status).toBe(200);
  const isRead = (text: string) => /^\s*(SELECT|WITH)\b/.test(text) && tables.some((table) => names(table).test(text));
  const reads = queries.filter(({ text }) => isRead(text ?? ''));
  expect(reads.length).toBeGreaterThan(0);
  const plans: Plan[] = [];
  for (const { text, values } of reads) plans.push(await explain(text as string, values ?? []));
  return {
    scanned: plans.flatMap(scansOf).filter((table) => tables.includes(table)),
    pages: plans.reduce((sum, plan) => sum + pagesOf(plan), 0),
    rows: plans.reduce((sum, plan) => sum + rowsOf(plan), 0),
  };
}

function names(table: string): RegExp {
  return new RegExp(`(FROM|JOIN) ("public"\\.)?"?${table}\\b`);
}

/** Without the app's statement timeout. */
export const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
afterAll(() => client.end());

export async function explain(text: string, values: unknown[] = []): Promise<Plan> {
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
  return rows[0]['QUERY PLAN'][0].Plan;
}

export function scansOf(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)];
}

// Figures are averages of a node's loops.
function rowsOf(plan: Plan): number {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = READS.test(plan['Node Type']) ? plan['Actual Rows'] + removed : 0;
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), 0);
}

const READS = /^(Seq|Index|Index Only|Bitmap Heap|Bitmap Index) Scan$/;

// A node's figures include those of the nodes below.
export function pagesOf(plan: Plan): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}
