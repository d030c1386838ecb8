import { generatePassword } from '@/lib/access/generate-password';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access/authorize';
import type { DomainLines } from '@/server/csv/by-domain';
import { importByDomain, type Progress, stepsOf } from '@/server/csv/import-by-domain';
import { mapLines, readCsv } from '@/server/csv/read-csv';
import { countLines, failedCsv } from '@/server/csv/report-lines';
import type { Tx } from '@/server/database/db';
import type { MutationContext } from '@/server/procedures/mutation';
import { hashPassword } from '@/server/secrets/password';
import { lockMailboxes, requireMailboxCapacity } from '../capacity';
import { COLUMNS, checkLines, type ParsedLine, readLine, rejectedLine, storedQuota } from './lines';
import {
  type ImportMailboxes,
  MAX_IMPORTED_MAILBOXES,
  type MailboxImportLine,
  type MailboxImportReport,
} from './schema';

/** Hashing the passwords of a step takes some seconds. */
const STEP = 50;

type Line = ParsedLine | MailboxImportLine;
type Checked = { lines: MailboxImportLine[]; accepted: ParsedLine[] };
type Prepared = { password: string | null; hash: string };

/**
 * Creates the mailboxes of a CSV file, one domain after the other, in steps that other changes can come between. A line that fails
 * doesn't affect the others. A dry run returns the same report, without passwords, and changes nothing.
 * @throws VALIDATION_ERROR if the text is not CSV; CONFLICT if the limit of the one domain would be exceeded
 */
export async function importMailboxes(ctx: MutationContext, input: ImportMailboxes): Promise<MailboxImportReport> {
  const { domain_id: id, dry_run: isDryRun } = input;
  const domain = id === null ? null : await authorizeDomain(ctx, { id });
  const file = await readCsv(input.csv, { ...COLUMNS, maxLines: MAX_IMPORTED_MAILBOXES });
  const lines = await importByDomain<MailboxImportLine>(
    ctx,
    { domain, lines: file.lines, addressColumn: 'local_part' },
    {
      resource: 'mailbox',
      isDryRun,
      importInto: (ofDomain, progress) => importInto(ctx, isDryRun, ofDomain, progress),
      rejectedLine,
      entryOf: (of, failed) => entryOf(of, { lines: failed, accepted: [] }, isDryRun),
    },
  );
  return { ...countLines(lines, isDryRun), lines, failed_csv: await failedCsv(file, lines) };
}

/** Imports the lines of one domain, which each transaction locks. */
async function importInto(
  ctx: MutationContext,
  isDryRun: boolean,
  { domain, lines }: DomainLines,
  progress: Progress<MailboxImportLine>,
): Promise<void> {
  const all = await mapLines(lines, (line) => readLine(line, domain));
  // Duplicates are found among all lines, before they are taken in steps.
  const planned = await check(ctx.db, domain, all);
  progress.planned = planned.lines;
  await requireMailboxCapacity(ctx.db, domain, planned.accepted.length);
  if (isDryRun) {
    await ctx.auditAlone(entryOf(domain, planned, isDryRun));
    progress.done = planned.lines;
    return;
  }
  for (const step of stepsOf(settle(all, planned), STEP)) {
    const prepared = await prepare(step, planned.accepted);
    const written = await ctx.transaction(async ({ tx, audit }) => {
      await lockMailboxes(tx, domain);
      const checked = await check(tx, domain, step);
      const { defaultQuotaBytes } = await requireMailboxCapacity(tx, domain, checked.accepted.length);
      const createdAt = ctx.clock.now();
      await insert(tx, domain, { accepted: checked.accepted, prepared, defaultQuotaBytes, createdAt });
      await audit(entryOf(domain, checked, isDryRun));
      return checked.lines;
    });
    progress.done.push(...written.map((line) => withPassword(line, prepared)));
  }
}

/** The lines that can be created, and the reports of all others. */
function settle(all: Line[], planned: Checked): Line[] {
  const accepted = new Set(planned.accepted.map(({ line }) => line));
  return all.map((line, index) => (accepted.has(line.line) ? line : (planned.lines[index] as MailboxImportLine)));
}

/** The passwords of a step's new mailboxes by line, those that were generated in clear. Outside of any transaction. */
async function prepare(step: Line[], accepted: ParsedLine[]): Promise<Map<number, Prepared>> {
  const prepared = new Map<number, Prepared>();
  for (const { line, password } of accepted.filter((row) => step.some((other) => other.line === row.line))) {
    const generated = password === undefined ? generatePassword() : null;
    prepared.set(line, { password: generated, hash: await hashPassword(password ?? (generated as string)) });
  }
  return prepared;
}

/** The report of these lines, and the mailboxes to create. */
async function check(tx: Tx, domain: AuthorizedDomain, all: Line[]): Promise<Checked> {
  const parsed = all.filter((line): line is ParsedLine => 'localPart' in line);
  const checked = new Map((await checkLines(tx, domain, parsed)).map((line) => [line.line, line]));
  const lines = all.map((line) => ('localPart' in line ? (checked.get(line.line) as MailboxImportLine) : line));
  return { lines, accepted: parsed.filter(({ line }) => checked.get(line)?.outcome === 'created') };
}

type Insertion = {
  accepted: ParsedLine[];
  prepared: Map<number, Prepared>;
  defaultQuotaBytes: bigint | null;
  createdAt: Date;
};

async function insert(tx: Tx, domain: AuthorizedDomain, insertion: Insertion): Promise<void> {
  const { accepted, prepared, defaultQuotaBytes, createdAt } = insertion;
  await tx.mailbox.createMany({
    data: accepted.map(({ line, localPart, displayName, quotaBytes, active }) => ({
      domainId: domain.id,
      localPart,
      displayName,
      passwordHash: (prepared.get(line) as Prepared).hash,
      quotaBytes: quotaBytes === undefined ? defaultQuotaBytes : storedQuota(quotaBytes),
      active,
      createdAt,
    })),
  });
}

function withPassword(line: MailboxImportLine, prepared: Map<number, Prepared>): MailboxImportLine {
  const password = line.outcome === 'created' ? (prepared.get(line.line)?.password ?? null) : null;
  return { ...line, password };
}

function entryOf(domain: AuthorizedDomain | null, { lines, accepted }: Checked, isDryRun: boolean) {
  const details = { ...countLines(lines, isDryRun), created_local_parts: accepted.map(({ localPart }) => localPart) };
  return { resource: 'mailbox', domainId: domain?.id ?? null, details };
}
