import { z } from 'zod';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access';
import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import { type CsvLine, csvLine, readCsv } from '@/server/csv';
import type { Tx } from '@/server/db';
import type { AppError } from '@/server/errors';
import type { FileAnswer } from '@/server/rest/file';
import { findDestinations, findSources, isDestination, keysOf, leadsToAlias, writeAliases } from './chains';
import { CreateAlias, type ExportAliases, type ImportAliases, type ImportLine, type ImportReport } from './schema';
import { duplicate, refuseBeyondLimit } from './service';

type MutationContext = ActorContext & { audit: RecordAudit };
type Wanted = { line: number; source: string; destination: string; active: boolean };

const COLUMNS = ['source_local_part', 'destination', 'active'] as const;
const PAGE = 1000;

/**
 * Creates the aliases of a file, line by line: a line that is refused touches no other. A dry run says the same and
 * changes nothing.
 * @throws CONFLICT where the domain may not have so many; VALIDATION_ERROR for what is not CSV
 */
export async function importAliases(ctx: MutationContext, input: ImportAliases): Promise<ImportReport> {
  const domain = await authorizeDomain(ctx, { id: input.domain_id });
  const read = readCsv(input.csv, COLUMNS, ['source_local_part', 'destination']).map((line) => readLine(line, domain));
  const wanted = read.filter((line): line is Wanted => 'source' in line);
  const settle = async (tx: Tx): Promise<ImportReport> => {
    const judged = new Map((await judge(tx, domain, wanted)).map((line) => [line.line, line]));
    const lines = read.map((line) => ('source' in line ? (judged.get(line.line) as ImportLine) : line));
    const accepted = wanted.filter(({ line }) => judged.get(line)?.outcome === 'created');
    await refuseBeyondLimit(tx, domain, accepted.length);
    if (!input.dry_run) await insert(tx, domain, accepted, ctx.clock.now());
    const report = { dry_run: input.dry_run, total: lines.length, ...countsOf(lines) };
    const details = { ...report, created_sources: accepted.map(({ source }) => source) };
    await ctx.audit({ resource: 'alias', domainId: domain.id, details }, tx);
    return { ...report, lines };
  };
  return input.dry_run ? settle(ctx.database) : writeAliases(ctx.database, settle);
}

/** Every alias of a domain as CSV that can be imported again. */
export async function exportAliases(ctx: ActorContext, input: ExportAliases): Promise<FileAnswer> {
  const domain = await authorizeDomain(ctx, { id: input.domain_id }, { allowInactive: true });
  return { filename: `aliases-${domain.name}.csv`, chunks: linesOf(ctx.database, domain.id) };
}

async function* linesOf(db: Tx, domainId: string): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  let after = '';
  for (let isFirst = true; ; isFirst = false) {
    const rows = await db.alias.findMany({
      where: { domainId, sourceLocalPart: isFirst ? undefined : { gt: after } },
      orderBy: { sourceLocalPart: 'asc' },
      take: PAGE,
      select: { sourceLocalPart: true, destination: true, active: true },
    });
    for (const row of rows) yield csvLine([row.sourceLocalPart, row.destination, String(row.active)]);
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.sourceLocalPart ?? '';
  }
}

function readLine({ line, values }: CsvLine, domain: AuthorizedDomain): Wanted | ImportLine {
  const source_local_part = withoutDomain(values.source_local_part ?? '', domain.name);
  const given = { domain_id: domain.id, source_local_part, destination: values.destination ?? '' };
  const parsed = CreateAlias.extend({ active: Switch }).safeParse({ ...given, active: values.active ?? '' });
  if (parsed.success) {
    const { source_local_part: source, destination, active } = parsed.data;
    return { line, source, destination, active };
  }
  const [issue] = parsed.error.issues;
  const apiCode = issue?.code === 'custom' ? issue.params?.apiCode : undefined;
  const code = apiCode ?? (given.destination === '' ? 'MISSING_FIELDS' : 'VALIDATION_ERROR');
  return { line, ...given, outcome: 'failed', code, message: `${issue?.path.join('.')}: ${issue?.message}` };
}

/** A whole address of the domain is taken as well. */
function withoutDomain(text: string, domainName: string): string {
  const suffix = `@${domainName}`;
  return text.toLowerCase().endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

const Switch = z.enum(['', 'true', 'false'], 'This is neither true nor false.').transform((text) => text !== 'false');

/** The rules of one alias, for each line against the database and the lines accepted before it. */
async function judge(tx: Tx, domain: AuthorizedDomain, wanted: Wanted[]): Promise<ImportLine[]> {
  const addressOf = (source: string) => `${source}@${domain.name}`;
  const existing = await tx.alias.findMany({
    where: { domainId: domain.id, sourceLocalPart: { in: wanted.map(({ source }) => source) } },
    select: { sourceLocalPart: true, destination: true, active: true },
  });
  const bySource = new Map(existing.map((alias) => [alias.sourceLocalPart, alias]));
  const sources = await findSources(
    tx,
    wanted.flatMap(({ destination }) => keysOf(destination)),
  );
  const destinations = await findDestinations(
    tx,
    wanted.map(({ source }) => addressOf(source)),
  );

  return wanted.map((alias) => {
    const own = addressOf(alias.source);
    const keys = keysOf(alias.destination);
    const present = bySource.get(alias.source);
    const isSame = present?.destination.toLowerCase() === alias.destination.toLowerCase();
    if (present && isSame && present.active === alias.active) return tell(alias, 'unchanged');
    if (present) return tell(alias, 'failed', duplicate(alias.source, domain.name));
    const next = keys.find((key) => key === own || sources.has(key));
    if (next !== undefined) return tell(alias, 'failed', leadsToAlias(next));
    if (alias.source && destinations.has(own)) return tell(alias, 'failed', isDestination(own));
    bySource.set(alias.source, { sourceLocalPart: alias.source, ...alias });
    if (alias.source) sources.add(own);
    for (const key of keys) destinations.add(key);
    return tell(alias, 'created');
  });
}

async function insert(tx: Tx, domain: AuthorizedDomain, accepted: Wanted[], createdAt: Date): Promise<void> {
  await tx.alias.createMany({
    data: accepted.map(({ source, destination, active }) => {
      return { domainId: domain.id, sourceLocalPart: source, destination, active, createdAt };
    }),
  });
}

function tell(alias: Wanted, outcome: ImportLine['outcome'], error?: AppError): ImportLine {
  const { line, source: source_local_part, destination } = alias;
  return {
    line,
    source_local_part,
    destination,
    outcome,
    code: error?.apiCode ?? null,
    message: error?.message ?? null,
  };
}

function countsOf(lines: ImportLine[]) {
  const count = (outcome: ImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return { created: count('created'), unchanged: count('unchanged'), failed: count('failed') };
}
