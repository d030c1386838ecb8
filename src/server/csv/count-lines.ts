import type { ReportedLine } from '@/lib/csv/import-report';

/** Returns the totals of an import, for its report and its audit entry. */
export function countLines(lines: readonly ReportedLine[], isDryRun: boolean) {
  const count = (outcome: ReportedLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return {
    dry_run: isDryRun,
    total: lines.length,
    created: count('created'),
    unchanged: count('unchanged'),
    failed: count('failed'),
  };
}
