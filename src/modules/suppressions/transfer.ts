import type { AuthorizedDomain } from '@/server/access/authorize';
import { cellMessage, duplicateOf } from '@/server/csv/cells';
import { type CsvLine, mapLines, readCsv } from '@/server/csv/read-csv';
import { countLines, failedCsv } from '@/server/csv/report-lines';
import type { Tx } from '@/server/database/db';
import type { MutationContext } from '@/server/procedures/mutation';
import { suppressionList } from './lists';
import { COLUMN_SYNONYMS, IGNORED_COLUMNS, reasonNamed, SECONDARY_COLUMNS } from './other-services';
import {
  CreateSuppression,
  type ImportSuppressions,
  MAX_DETAIL_LENGTH,
  type SuppressionImportLine,
  type SuppressionImportReport,
} from './schema';
import { authorizeOwner, insertSuppressions, type NewSuppression, rethrowDeletedDomain } from './service';

type ParsedLine = NewSuppression & { line: number };

const COLUMNS = {
  names: ['email', 'reason', 'list', 'detail', 'expires_at'],
  required: ['email'],
  synonyms: COLUMN_SYNONYMS,
  secondary: SECONDARY_COLUMNS,
  ignored: [...suppressionList.csv, ...IGNORED_COLUMNS],
};

/**
 * Adds the addresses of a CSV file to the suppressions of a domain, or of all domains. A line that fails doesn't affect the
 * others, and an address that is suppressed for the same reason stays as it is. A dry run returns the same report and changes
 * nothing.
 * @throws VALIDATION_ERROR if the text is not CSV; the errors of authorizeOwner
 */
export async function importSuppressions(
  ctx: MutationContext,
  input: ImportSuppressions,
): Promise<SuppressionImportReport> {
  const domain = await authorizeOwner(ctx, input.domain_id);
  const file = await readCsv(input.csv, COLUMNS);
  const results = withoutDuplicates(await mapLines(file.lines, (line) => readLine(line, input.reason)));
  const parsed = results.filter((line): line is ParsedLine => !('outcome' in line));
  const reportOf = (created: ReadonlySet<string>) => {
    const lines = results.map((line) => ('outcome' in line ? line : importLine(line, created.has(keyOf(line)))));
    return { ...countLines(lines, input.dry_run), lines };
  };
  const entryOf = ({ lines: _, ...details }: ReturnType<typeof reportOf>) => {
    return { resource: 'suppression', domainId: domain?.id ?? null, details };
  };
  if (input.dry_run) {
    const report = reportOf(await findNew(ctx.db, domain, parsed, ctx.clock.now()));
    await ctx.auditAlone(entryOf(report));
    return { ...report, failed_csv: await failedCsv(file, report.lines) };
  }
  const report = await ctx
    .transaction(async ({ tx, audit }) => {
      const created = await insertSuppressions(tx, ctx, domain, parsed);
      const done = reportOf(new Set(created.map(keyOf)));
      await audit(entryOf(done));
      return done;
    })
    .catch(rethrowDeletedDomain);
  return { ...report, failed_csv: await failedCsv(file, report.lines) };
}

/** Returns the keys of the suppressions that `insertSuppressions` would add. */
async function findNew(db: Tx, domain: AuthorizedDomain | null, parsed: ParsedLine[], now: Date): Promise<Set<string>> {
  const existing = await db.suppression.findMany({
    where: {
      email: { in: parsed.map(({ email }) => email) },
      domainId: domain?.id ?? null,
      OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
    },
    select: { email: true, reason: true, list: true },
  });
  const known = new Set(existing.map(keyOf));
  return new Set(parsed.map(keyOf).filter((key) => !known.has(key)));
}

function readLine(
  { line, values, problem }: CsvLine,
  otherwise: ImportSuppressions['reason'],
): ParsedLine | SuppressionImportLine {
  const { email = '', list = '', expires_at: expiresAt = '' } = values;
  const { reason, detail } = whyOf(values, otherwise);
  const failed = (message: string, code = 'VALIDATION_ERROR') => {
    return { line, email, outcome: 'failed' as const, code, message };
  };
  if (problem) return failed(problem);
  const parsed = CreateSuppression.safeParse({
    email,
    detail,
    ...(reason !== '' && { reason }),
    ...(list !== '' && { list }),
    ...(expiresAt !== '' && { expires_at: expiresAt }),
  });
  if (parsed.success) {
    const { data } = parsed;
    const { expires_at: expiresAt, email: address, reason: why, list: of, detail: note } = data;
    return { line, email: address, reason: why, list: of, detail: note, expiresAt };
  }
  const [issue] = parsed.error.issues;
  const message = cellMessage(String(issue?.path[0]), issue?.message ?? '');
  return failed(message, email === '' ? 'MISSING_FIELDS' : undefined);
}

function whyOf({ reason: text = '', detail = '' }: CsvLine['values'], otherwise: ImportSuppressions['reason']) {
  const reason = reasonNamed(text);
  if (reason) return { reason, detail };
  if (!otherwise) return { reason: text, detail };
  const note = [text, detail].filter((part) => part !== '').join(' ');
  return {
    reason: otherwise,
    detail: note
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, MAX_DETAIL_LENGTH)
      .toWellFormed(),
  };
}

function withoutDuplicates(results: (ParsedLine | SuppressionImportLine)[]): (ParsedLine | SuppressionImportLine)[] {
  const firstLines = new Map<string, number>();
  return results.map((line) => {
    if ('outcome' in line) return line;
    const firstLine = firstLines.get(keyOf(line));
    firstLines.set(keyOf(line), firstLine ?? line.line);
    if (firstLine === undefined) return line;
    return { line: line.line, email: line.email, outcome: 'failed', ...duplicateOf(firstLine) };
  });
}

function importLine({ line, email }: ParsedLine, isNew: boolean): SuppressionImportLine {
  return { line, email, outcome: isNew ? 'created' : 'unchanged', code: null, message: null };
}

function keyOf({ email, reason, list }: { email: string; reason: string; list: string | null }): string {
  return `${reason} ${list ?? ''} ${email}`;
}
