import type { ReportedLine } from '@/lib/csv/import-report';
import { identify } from '@/server/access/actor';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access/authorize';
import type { AuditRecord } from '@/server/audit';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { MutationContext } from '@/server/procedures/mutation';
import { isUnexpected, publicError } from '@/server/public-error';
import { type DomainLines, type File, linesByDomain, type RefusedDomain, type Rejection } from './by-domain';
import type { CsvLine } from './read-csv';

/** The reports of a domain's lines before anything is written, and those that are final, in the same order. */
export type Progress<Line> = { planned: Line[]; done: Line[] };

type Importer<Line> = {
  resource: string;
  isDryRun: boolean;
  /** Keeps `progress`, so that what was written is reported if the rest fails. */
  importInto(lines: DomainLines, progress: Progress<Line>): Promise<void>;
  rejectedLine(line: CsvLine, rejection: Rejection): Line;
  /** The audit entry of lines that nothing was created from. */
  entryOf(domain: AuthorizedDomain | null, lines: Line[]): AuditRecord;
};

/** Errors that leave the other domains of the file as they are. */
const OF_DOMAIN = new Set(['CONFLICT', 'DOMAIN_NOT_FOUND', 'FORBIDDEN', 'API_KEY_DOMAIN_SCOPE', 'DOMAIN_INACTIVE']);
const DENIED = new Set(['FORBIDDEN', 'API_KEY_DOMAIN_SCOPE']);
const MAX_NAMES = 50;

/**
 * Imports the lines of a file, one domain after the other, and returns the report of each line. What is wrong with one of several
 * domains fails its lines only. Once anything was created, an error fails the lines that are left instead of the call, because only
 * the report has the passwords of new mailboxes.
 */
export async function importByDomain<Line extends ReportedLine>(
  ctx: MutationContext,
  file: File,
  importer: Importer<Line>,
): Promise<Line[]> {
  const { isDryRun, rejectedLine, entryOf } = importer;
  const { ofDomains, rejected, refused } = await linesByDomain(ctx, file);
  const lines = rejected.map(({ line, rejection }) => rejectedLine(line, rejection));
  if (lines.length > 0 || ofDomains.length === 0) {
    const { details, ...entry } = entryOf(null, lines);
    await ctx.auditAlone({ ...entry, ...refusalsIn(refused), details: { ...details, ...detailsOf(refused) } });
  }
  await recordDenied(ctx, importer.resource, refused);
  for (const [index, each] of ofDomains.entries()) {
    const progress: Progress<Line> = { planned: [], done: [] };
    try {
      await importer.importInto(file.domain ? each : await authorizedNow(ctx, each), progress);
      lines.push(...progress.done);
    } catch (error) {
      const isOfDomain = file.domain === null && error instanceof AppError && OF_DOMAIN.has(error.apiCode);
      const isAnyCreated = !isDryRun && [...lines, ...progress.done].some(({ outcome }) => outcome === 'created');
      if (!isOfDomain && !isAnyCreated) throw error;
      const rejection = rejectionOf(ctx, error);
      const left = linesLeft(each, progress, rejection, rejectedLine);
      lines.push(...progress.done, ...left);
      await recordLeft(ctx, entryOf(each.domain, left));
      if (isOfDomain) continue;
      const others = ofDomains.slice(index + 1).flatMap((other) => other.lines);
      const unread = others.map((line) => rejectedLine(line, rejection));
      lines.push(...unread);
      if (unread.length > 0) await recordLeft(ctx, entryOf(null, unread));
      break;
    }
  }
  return lines.toSorted((one, other) => one.line - other.line);
}

/** The lines in parts of this size. There is at least one, so that an empty import is recorded too. */
export function stepsOf<Line>(lines: Line[], size: number): Line[][] {
  const count = Math.max(1, Math.ceil(lines.length / size));
  return Array.from({ length: count }, (_, i) => lines.slice(i * size, (i + 1) * size));
}

/** An import takes a while, so that access is checked again when a domain's turn comes. */
async function authorizedNow(ctx: MutationContext, { domain, lines }: DomainLines): Promise<DomainLines> {
  const actor = await identify(ctx.credentials, ctx.clock);
  return { domain: await authorizeDomain({ db: ctx.db, actor }, { id: domain.id }), lines };
}

function linesLeft<Line extends ReportedLine>(
  { lines }: DomainLines,
  { planned, done }: Progress<Line>,
  rejection: Rejection,
  rejectedLine: Importer<Line>['rejectedLine'],
): Line[] {
  if (planned.length === 0) return lines.map((line) => rejectedLine(line, rejection));
  return planned
    .slice(done.length)
    .map((line) => (line.outcome === 'created' ? { ...line, outcome: 'failed', ...rejection } : line));
}

function rejectionOf(ctx: MutationContext, error: unknown): Rejection {
  const shown = publicError(error);
  if (isUnexpected(shown)) log.error({ request_id: ctx.request.id, error }, 'an import ended early');
  return { code: shown.code, message: shown.message };
}

/** The report matters more than this entry: what was created has its own. */
async function recordLeft(ctx: MutationContext, entry: AuditRecord): Promise<void> {
  await ctx.auditAlone(entry).catch((error: unknown) => {
    log.error({ request_id: ctx.request.id, error }, 'recording the failed lines of an import failed');
  });
}

function refusalsIn(refused: RefusedDomain[]): Pick<AuditRecord, 'outcome'> {
  return refused.length > 0 ? { outcome: 'error' } : {};
}

function detailsOf(refused: RefusedDomain[]): object {
  if (refused.length === 0) return {};
  const counts: Record<string, number> = {};
  for (const { error } of refused) counts[error.apiCode] = (counts[error.apiCode] ?? 0) + 1;
  return { refused_domains: refused.slice(0, MAX_NAMES).map(({ name }) => name), refused_domain_codes: counts };
}

/** Like a request for each of these domains, so that probing for domains is noticed. */
async function recordDenied(ctx: MutationContext, resource: string, refused: RefusedDomain[]): Promise<void> {
  for (const { id, error } of refused.filter((each) => DENIED.has(each.error.apiCode))) {
    const details = { code: error.apiCode, message: error.message, ...(id && { domain_id: id }) };
    await ctx.auditAlone({ resource, outcome: 'denied', details });
  }
}
