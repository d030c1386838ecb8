import type { AuthorizedDomain } from '@/server/access/authorize';
import type { Rejection } from '@/server/csv/by-domain';
import { ActiveCell, cellMessage, duplicateOf, localPartOf } from '@/server/csv/cells';
import type { CsvLine } from '@/server/csv/read-csv';
import type { Tx } from '@/server/database/db';
import type { AppError } from '@/server/errors';
import { CreateAlias, type ImportLine } from '../schema';
import { aliasExists } from '../service';
import { destinationIsAlias, findDestinations, findSources, keysOf, sourceIsDestination } from '../writes/chains';

export const COLUMNS = {
  names: ['source_local_part', 'destination', 'active'] as const,
  required: ['source_local_part', 'destination'],
  synonyms: { address: 'source_local_part' },
};

export type ParsedLine = { line: number; source: string; destination: string; active: boolean };
export type Line = ParsedLine | ImportLine;

/** The addresses of the file's aliases in other domains, which a preview doesn't find in the database. */
export type OtherAliases = { sources: Set<string>; destinations: Set<string> };

/** Only source_local_part is empty for a catch-all. A file with whole addresses has an empty one by mistake. */
const NO_ADDRESS = cellMessage('address', 'Enter an address. That of a catch-all is @ and the domain.');

const Row = CreateAlias.extend({ active: ActiveCell });

/** A row as an alias, or the first thing that is wrong with it. */
export function readLine({ line, values, problem }: CsvLine, domain: AuthorizedDomain): Line {
  const { localPart: source_local_part, problem: ofDomain } = localPartOf(values.source_local_part ?? '', domain.name);
  const raw = { domain_id: domain.id, source_local_part, destination: values.destination ?? '' };
  const fail = (code: string, message: string): ImportLine => ({
    line,
    domain: domain.name,
    source_local_part,
    destination: raw.destination,
    outcome: 'failed',
    code,
    message,
  });
  const message = problem ?? ofDomain;
  if (message) return fail('VALIDATION_ERROR', message);
  if (values.address === '') return fail('MISSING_FIELDS', NO_ADDRESS);
  const parsed = Row.safeParse({ ...raw, active: values.active ?? '' });
  if (parsed.success) {
    const { source_local_part: source, destination, active } = parsed.data;
    return { line, source, destination, active };
  }
  const [issue] = parsed.error.issues;
  const apiCode = issue?.code === 'custom' ? issue.params?.apiCode : undefined;
  const code = apiCode ?? (raw.destination === '' ? 'MISSING_FIELDS' : 'VALIDATION_ERROR');
  return fail(code, cellMessage(String(issue?.path[0]), issue?.message ?? ''));
}

/** A row whose domain can't be used. */
export function rejectedLine({ line, values }: CsvLine, rejection: Rejection): ImportLine {
  const { source_local_part: source = '', destination = '' } = values;
  return { line, domain: null, source_local_part: source, destination, outcome: 'failed', ...rejection };
}

/** Duplicates are found among all lines of a domain, before they are taken in steps. */
export function withoutDuplicates(domain: AuthorizedDomain, lines: Line[]): Line[] {
  const firstLines = new Map<string, number>();
  return lines.map((line) => {
    if (!('source' in line)) return line;
    const firstLine = firstLines.get(line.source);
    if (firstLine !== undefined) return toImportLine(domain, line, 'failed', duplicateOf(firstLine));
    firstLines.set(line.source, line.line);
    return line;
  });
}

/** Checks each line, of different sources, against the database, the aliases of other domains and the lines accepted before it. */
export async function checkLines(
  tx: Tx,
  domain: AuthorizedDomain,
  parsed: ParsedLine[],
  others: OtherAliases,
): Promise<ImportLine[]> {
  const addressOf = (source: string) => `${source}@${domain.name}`;
  const existing = await tx.alias.findMany({
    where: { domainId: domain.id, sourceLocalPart: { in: parsed.map(({ source }) => source) } },
    select: { sourceLocalPart: true, destination: true, active: true },
  });
  const bySource = new Map(existing.map((alias) => [alias.sourceLocalPart, alias]));
  const ofDatabase = await findSources(
    tx,
    parsed.flatMap(({ destination }) => keysOf(destination)),
  );
  const sources = new Set([...ofDatabase, ...others.sources]);
  const ofSources = await findDestinations(
    tx,
    parsed.map(({ source }) => addressOf(source)),
  );
  const destinations = new Set([...ofSources, ...others.destinations]);
  return parsed.map((alias) => {
    const address = addressOf(alias.source);
    const keys = keysOf(alias.destination);
    const present = bySource.get(alias.source);
    const isSame = present?.destination.toLowerCase() === alias.destination.toLowerCase();
    const fail = (error: AppError) => toImportLine(domain, alias, 'failed', rejection(error));
    if (present && isSame && present.active === alias.active) return toImportLine(domain, alias, 'unchanged');
    if (present) return fail(aliasExists(alias.source, domain.name));
    const next = keys.find((key) => key === address || sources.has(key));
    if (next !== undefined) return fail(destinationIsAlias(next));
    if (alias.source && destinations.has(address)) return fail(sourceIsDestination(address));
    if (alias.source) sources.add(address);
    for (const key of keys) destinations.add(key);
    return toImportLine(domain, alias, 'created');
  });
}

function rejection({ apiCode, message }: AppError): Rejection {
  return { code: apiCode, message };
}

function toImportLine(
  domain: AuthorizedDomain,
  alias: ParsedLine,
  outcome: ImportLine['outcome'],
  error?: Rejection,
): ImportLine {
  const { line, source: source_local_part, destination } = alias;
  return {
    line,
    domain: domain.name,
    source_local_part,
    destination,
    outcome,
    code: error?.code ?? null,
    message: error?.message ?? null,
  };
}
