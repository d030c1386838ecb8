import { type AuthorizedDomain, authorizeDomain } from '@/server/access/authorize';
import type { DomainLines } from '@/server/csv/by-domain';
import { importByDomain, type Progress, stepsOf } from '@/server/csv/import-by-domain';
import { mapLines, readCsv } from '@/server/csv/read-csv';
import { countLines, failedCsv } from '@/server/csv/report-lines';
import type { Tx } from '@/server/database/db';
import type { MutationContext } from '@/server/procedures/mutation';
import type { ImportAliases, ImportLine, ImportReport } from '../schema';
import { requireAliasCapacity } from '../service';
import { keysOf, writeAliases } from '../writes/chains';
import {
  COLUMNS,
  checkLines,
  type Line,
  type OtherAliases,
  type ParsedLine,
  readLine,
  rejectedLine,
  withoutDuplicates,
} from './lines';

type Checked = { lines: ImportLine[]; accepted: ParsedLine[] };
type Writing = Parameters<Parameters<typeof writeAliases>[1]>;
type Import = {
  ctx: MutationContext;
  write: Writing[0];
  inTurn: Writing[1];
  isDryRun: boolean;
  others: OtherAliases;
};

const STEP = 500;

/**
 * Creates the aliases of a CSV file, one domain after the other, in steps that other changes can come between. A line that fails doesn't
 * affect the others. A dry run returns the same report and changes nothing.
 * @throws VALIDATION_ERROR if the text is not CSV; CONFLICT if the limit of the one domain would be exceeded
 */
export async function importAliases(ctx: MutationContext, input: ImportAliases): Promise<ImportReport> {
  const { domain_id: id, dry_run: isDryRun } = input;
  const domain = id === null ? null : await authorizeDomain(ctx, { id });
  const file = await readCsv(input.csv, COLUMNS);
  const lines = await writeAliases(ctx, (write, inTurn) => {
    const others = { sources: new Set<string>(), destinations: new Set<string>() };
    const options = { ctx, write, inTurn, isDryRun, others };
    return importByDomain<ImportLine>(
      ctx,
      { domain, lines: file.lines, addressColumn: 'source_local_part' },
      {
        resource: 'alias',
        isDryRun,
        importInto: (ofDomain, progress) => importInto(options, ofDomain, progress),
        rejectedLine,
        entryOf: (of, failed) => entryOf(of, { lines: failed, accepted: [] }, isDryRun),
      },
    );
  });
  return { ...countLines(lines, isDryRun), lines, failed_csv: await failedCsv(file, lines) };
}

/** Imports the lines of one domain. Each transaction locks that domain and those of the destinations. */
async function importInto(
  { ctx, write, inTurn, isDryRun, others }: Import,
  { domain, lines }: DomainLines,
  progress: Progress<ImportLine>,
): Promise<void> {
  const results = withoutDuplicates(domain, await mapLines(lines, (line) => readLine(line, domain)));
  const planned = await inTurn(`check ${domain.id}`, () => check(ctx.db, domain, results, others));
  progress.planned = planned.lines;
  await requireAliasCapacity(ctx.db, domain, planned.accepted.length);
  for (const { source, destination } of planned.accepted) {
    if (source) others.sources.add(`${source}@${domain.name}`);
    for (const key of keysOf(destination)) others.destinations.add(key);
  }
  if (isDryRun) {
    await ctx.auditAlone(entryOf(domain, planned, isDryRun));
    progress.done = planned.lines;
    return;
  }
  for (const step of stepsOf(results, STEP)) {
    const destinations = step.flatMap((line) => ('source' in line ? [line.destination] : []));
    const written = await write({ domainId: domain.id, destinations }, async ({ tx, audit }) => {
      const checked = await check(tx, domain, step, NO_OTHERS);
      await requireAliasCapacity(tx, domain, checked.accepted.length);
      await insert(tx, domain, checked.accepted, ctx.clock.now());
      await audit(entryOf(domain, checked, isDryRun));
      return checked.lines;
    });
    progress.done.push(...written);
  }
}

/** In the steps, aliases of other domains are in the database. */
const NO_OTHERS: OtherAliases = { sources: new Set(), destinations: new Set() };

/** The report of these lines, and the aliases to create. */
async function check(tx: Tx, domain: AuthorizedDomain, results: Line[], others: OtherAliases): Promise<Checked> {
  const parsed = results.filter((line): line is ParsedLine => 'source' in line);
  const checked = new Map((await checkLines(tx, domain, parsed, others)).map((line) => [line.line, line]));
  const lines = results.map((line) => ('source' in line ? (checked.get(line.line) as ImportLine) : line));
  return { lines, accepted: parsed.filter(({ line }) => checked.get(line)?.outcome === 'created') };
}

async function insert(tx: Tx, domain: AuthorizedDomain, accepted: ParsedLine[], createdAt: Date): Promise<void> {
  await tx.alias.createMany({
    data: accepted.map(({ source, destination, active }) => {
      return { domainId: domain.id, sourceLocalPart: source, destination, active, createdAt };
    }),
  });
}

function entryOf(domain: AuthorizedDomain | null, { lines, accepted }: Checked, isDryRun: boolean) {
  const details = { ...countLines(lines, isDryRun), created_sources: accepted.map(({ source }) => source) };
  return { resource: 'alias', domainId: domain?.id ?? null, details };
}
