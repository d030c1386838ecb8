import { type AuthorizedDomain, authorizeDomain } from '@/server/access/authorize';
import { ActiveCell, cellMessage, duplicateOf, localPartOf } from '@/server/csv/cells';
import { failedCsv } from '@/server/csv/failed-lines';
import { type CsvLine, mapLines, readCsv } from '@/server/csv/read-csv';
import type { Tx } from '@/server/db';
import type { AppError } from '@/server/errors';
import { csvLines, exportList, pagesOf } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import type { FileOutput } from '@/server/rest/file';
import { aliasList } from './lists';
import {
  type Alias,
  CreateAlias,
  type ExportAliases,
  type ImportAliases,
  type ImportLine,
  type ImportReport,
} from './schema';
import { aliasExists, listAliases, requireAliasCapacity } from './service';
import {
  destinationIsAlias,
  findDestinations,
  findSources,
  keysOf,
  sourceIsDestination,
  writeAliases,
} from './writes/chains';

type Checked = { lines: ImportLine[]; accepted: ParsedLine[] };
type ParsedLine = { line: number; source: string; destination: string; active: boolean };

const COLUMNS = ['source_local_part', 'destination', 'active'] as const;
const READ = {
  names: COLUMNS,
  required: ['source_local_part', 'destination'],
  synonyms: { address: 'source_local_part' },
};
const STEP = 500;

/**
 * Creates the aliases of a CSV file, in steps that other changes can come between. A line that fails doesn't affect the
 * others. A dry run returns the same report and changes nothing.
 * @throws CONFLICT if the domain's limit would be exceeded; VALIDATION_ERROR if the text is not CSV
 */
export async function importAliases(ctx: MutationContext, input: ImportAliases): Promise<ImportReport> {
  const domain = await authorizeDomain(ctx, { id: input.domain_id });
  const file = await readCsv(input.csv, READ);
  const results = withoutDuplicates(await mapLines(file.lines, (line) => readLine(line, domain)));
  const reportOf = (lines: ImportLine[]) => ({ dry_run: input.dry_run, total: lines.length, ...countsOf(lines) });
  const entryOf = ({ lines, accepted }: Checked) => {
    const details = { ...reportOf(lines), created_sources: accepted.map(({ source }) => source) };
    return { resource: 'alias', domainId: domain.id, details };
  };
  const lines = await writeAliases(ctx, async (write, inTurn) => {
    const planned = await inTurn(`check ${domain.id}`, () => check(ctx.db, domain, results));
    await requireAliasCapacity(ctx.db, domain, planned.accepted.length);
    if (input.dry_run) {
      await ctx.auditAlone(entryOf(planned));
      return planned.lines;
    }
    const done: ImportLine[] = [];
    for (const step of stepsOf(results)) {
      const destinations = step.flatMap((line) => ('source' in line ? [line.destination] : []));
      const written = await write({ domainId: domain.id, destinations }, async ({ tx, audit }) => {
        const checked = await check(tx, domain, step);
        await requireAliasCapacity(tx, domain, checked.accepted.length);
        await insert(tx, domain, checked.accepted, ctx.clock.now());
        await audit(entryOf(checked));
        return checked.lines;
      });
      done.push(...written);
    }
    return done;
  });
  return { ...reportOf(lines), lines, failed_csv: await failedCsv(file, lines) };
}

/** Streams the aliases of a domain as CSV that can be imported again. */
export async function exportAliases(ctx: ActorContext, { format: _, ...filters }: ExportAliases): Promise<FileOutput> {
  const page: Parameters<typeof pagesOf<Alias>>[0] = (part) => listAliases(ctx, { ...filters, ...part });
  const { domain_id: id } = filters;
  if (!id) return exportList(ctx, aliasList, page);
  const domain = await authorizeDomain(ctx, { id }, { allowInactive: true });
  return { filename: `aliases-${domain.name}.csv`, chunks: csvLines(COLUMNS, pagesOf(page)) };
}

const Row = CreateAlias.extend({ active: ActiveCell });

function readLine({ line, values, problem }: CsvLine, domain: AuthorizedDomain): ParsedLine | ImportLine {
  const { localPart: source_local_part, problem: ofDomain } = localPartOf(values.source_local_part ?? '', domain.name);
  const raw = { domain_id: domain.id, source_local_part, destination: values.destination ?? '' };
  const message = problem ?? ofDomain;
  if (message) return { line, ...raw, outcome: 'failed', code: 'VALIDATION_ERROR', message };
  const parsed = Row.safeParse({ ...raw, active: values.active ?? '' });
  if (parsed.success) {
    const { source_local_part: source, destination, active } = parsed.data;
    return { line, source, destination, active };
  }
  const [issue] = parsed.error.issues;
  const apiCode = issue?.code === 'custom' ? issue.params?.apiCode : undefined;
  const code = apiCode ?? (raw.destination === '' ? 'MISSING_FIELDS' : 'VALIDATION_ERROR');
  return { line, ...raw, outcome: 'failed', code, message: cellMessage(String(issue?.path[0]), issue?.message ?? '') };
}

/** Duplicates are found among all lines, before they are taken in steps. */
function withoutDuplicates(results: (ParsedLine | ImportLine)[]): (ParsedLine | ImportLine)[] {
  const firstLines = new Map<string, number>();
  return results.map((line) => {
    if (!('source' in line)) return line;
    const firstLine = firstLines.get(line.source);
    if (firstLine !== undefined) return toImportLine(line, 'failed', duplicateOf(firstLine));
    firstLines.set(line.source, line.line);
    return line;
  });
}

/** At least one, so that an empty import is recorded too. */
function stepsOf<Line>(lines: Line[]): Line[][] {
  const count = Math.max(1, Math.ceil(lines.length / STEP));
  return Array.from({ length: count }, (_, i) => lines.slice(i * STEP, (i + 1) * STEP));
}

/** The report of these lines, and the aliases to create. */
async function check(tx: Tx, domain: AuthorizedDomain, results: (ParsedLine | ImportLine)[]): Promise<Checked> {
  const parsed = results.filter((line): line is ParsedLine => 'source' in line);
  const checked = new Map((await checkLines(tx, domain, parsed)).map((line) => [line.line, line]));
  const lines = results.map((line) => ('source' in line ? (checked.get(line.line) as ImportLine) : line));
  return { lines, accepted: parsed.filter(({ line }) => checked.get(line)?.outcome === 'created') };
}

/** Checks each line, of different sources, against the database and the lines accepted before it. */
async function checkLines(tx: Tx, domain: AuthorizedDomain, parsed: ParsedLine[]): Promise<ImportLine[]> {
  const addressOf = (source: string) => `${source}@${domain.name}`;
  const existing = await tx.alias.findMany({
    where: { domainId: domain.id, sourceLocalPart: { in: parsed.map(({ source }) => source) } },
    select: { sourceLocalPart: true, destination: true, active: true },
  });
  const bySource = new Map(existing.map((alias) => [alias.sourceLocalPart, alias]));
  const sources = await findSources(
    tx,
    parsed.flatMap(({ destination }) => keysOf(destination)),
  );
  const destinations = await findDestinations(
    tx,
    parsed.map(({ source }) => addressOf(source)),
  );

  return parsed.map((alias) => {
    const address = addressOf(alias.source);
    const keys = keysOf(alias.destination);
    const present = bySource.get(alias.source);
    const isSame = present?.destination.toLowerCase() === alias.destination.toLowerCase();
    if (present && isSame && present.active === alias.active) return toImportLine(alias, 'unchanged');
    if (present) return toImportLine(alias, 'failed', rejection(aliasExists(alias.source, domain.name)));
    const next = keys.find((key) => key === address || sources.has(key));
    if (next !== undefined) return toImportLine(alias, 'failed', rejection(destinationIsAlias(next)));
    if (alias.source && destinations.has(address))
      return toImportLine(alias, 'failed', rejection(sourceIsDestination(address)));
    if (alias.source) sources.add(address);
    for (const key of keys) destinations.add(key);
    return toImportLine(alias, 'created');
  });
}

async function insert(tx: Tx, domain: AuthorizedDomain, accepted: ParsedLine[], createdAt: Date): Promise<void> {
  await tx.alias.createMany({
    data: accepted.map(({ source, destination, active }) => {
      return { domainId: domain.id, sourceLocalPart: source, destination, active, createdAt };
    }),
  });
}

type Rejection = { code: string; message: string };

function rejection({ apiCode, message }: AppError): Rejection {
  return { code: apiCode, message };
}

function toImportLine(alias: ParsedLine, outcome: ImportLine['outcome'], error?: Rejection): ImportLine {
  const { line, source: source_local_part, destination } = alias;
  return {
    line,
    source_local_part,
    destination,
    outcome,
    code: error?.code ?? null,
    message: error?.message ?? null,
  };
}

function countsOf(lines: ImportLine[]) {
  const count = (outcome: ImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return { created: count('created'), unchanged: count('unchanged'), failed: count('failed') };
}
