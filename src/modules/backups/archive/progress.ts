import type { Progress, Table } from './format';

/** Reports rows as they are written or read, in the order of the tables. */
export function progressOf(tables: readonly Table[], onProgress: ((progress: Progress) => void) | undefined) {
  let at = 0;
  let rows = 0;
  const report = (done: number) => {
    const table = tables[at]?.name;
    if (table) onProgress?.({ table, tables: { done, total: tables.length }, rows });
  };
  /** Tables before this one are done. */
  const moveTo = (end: number) => {
    for (; at < end; at++) report(at + 1);
  };
  return {
    add(table: string, count: number): void {
      moveTo(tables.findIndex(({ name }) => name === table));
      rows += count;
      report(at);
    },
    /** All tables are done. @returns the number of rows */
    end(): number {
      moveTo(tables.length);
      return rows;
    },
  };
}
