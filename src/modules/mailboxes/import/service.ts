import { generatePassword } from '@/lib/generate-password';
import { type AuthorizedDomain, authorizeDomain } from '@/server/access/authorize';
import { failedCsv } from '@/server/csv/failed-lines';
import { mapLines, readCsv } from '@/server/csv/read-csv';
import type { Tx } from '@/server/db';
import type { MutationContext } from '@/server/procedures/mutation';
import { hashPassword } from '@/server/secrets/password';
import { lockMailboxes, requireMailboxCapacity } from '../capacity';
import { COLUMNS, checkLines, type ParsedLine, readLine } from './lines';
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
 * Creates the mailboxes of a CSV file, in steps that other changes can come between. A line that fails doesn't affect the
 * others. A dry run returns the same report, without passwords, and changes nothing.
 * @throws CONFLICT if the domain's limit would be exceeded; VALIDATION_ERROR if the text is not CSV
 */
export async function importMailboxes(ctx: MutationContext, input: ImportMailboxes): Promise<MailboxImportReport> {
  const domain = await authorizeDomain(ctx, { id: input.domain_id });
  const file = await readCsv(input.csv, { ...COLUMNS, maxLines: MAX_IMPORTED_MAILBOXES });
  const all = await mapLines(file.lines, (line) => readLine(line, domain));
  const reportOf = (lines: MailboxImportLine[]) => ({
    dry_run: input.dry_run,
    total: lines.length,
    ...countsOf(lines),
  });
  const entryOf = ({ lines, accepted }: Checked) => {
    const details = { ...reportOf(lines), created_local_parts: accepted.map(({ localPart }) => localPart) };
    return { resource: 'mailbox', domainId: domain.id, details };
  };
  // Duplicates are found among all lines, before they are taken in steps.
  const planned = await check(ctx.db, domain, all);
  await requireMailboxCapacity(ctx.db, domain, planned.accepted.length);
  if (input.dry_run) {
    await ctx.auditAlone(entryOf(planned));
    return { ...reportOf(planned.lines), lines: planned.lines, failed_csv: await failedCsv(file, planned.lines) };
  }
  const lines: MailboxImportLine[] = [];
  for (const step of stepsOf(settle(all, planned))) {
    const prepared = await prepare(step, planned.accepted);
    const written = await ctx.transaction(async ({ tx, audit }) => {
      await lockMailboxes(tx, domain);
      const checked = await check(tx, domain, step);
      const { defaultQuotaBytes } = await requireMailboxCapacity(tx, domain, checked.accepted.length);
      await insert(tx, domain, { accepted: checked.accepted, prepared, defaultQuotaBytes, createdAt: ctx.clock.now() });
      await audit(entryOf(checked));
      return checked.lines;
    });
    lines.push(
      ...written.map((line) => ({
        ...line,
        password: line.outcome === 'created' ? (prepared.get(line.line)?.password ?? null) : null,
      })),
    );
  }
  return { ...reportOf(lines), lines, failed_csv: await failedCsv(file, lines) };
}

/** The lines that can be created, and the reports of all others. */
function settle(all: Line[], planned: Checked): Line[] {
  const accepted = new Set(planned.accepted.map(({ line }) => line));
  return all.map((line, index) => (accepted.has(line.line) ? line : (planned.lines[index] as MailboxImportLine)));
}

/** At least one, so that an empty import is recorded too. */
function stepsOf(lines: Line[]): Line[][] {
  const count = Math.max(1, Math.ceil(lines.length / STEP));
  return Array.from({ length: count }, (_, i) => lines.slice(i * STEP, (i + 1) * STEP));
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
      quotaBytes: quotaBytes === undefined ? defaultQuotaBytes : BigInt(quotaBytes),
      active,
      createdAt,
    })),
  });
}

function countsOf(lines: MailboxImportLine[]) {
  const count = (outcome: MailboxImportLine['outcome']) => lines.filter((line) => line.outcome === outcome).length;
  return { created: count('created'), unchanged: count('unchanged'), failed: count('failed') };
}
