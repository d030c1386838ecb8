import { z } from 'zod';
import { formatCount } from '@/lib/format';
import { MAX_QUOTA_MB } from '@/lib/wire';
import type { AuthorizedDomain } from '@/server/access/authorize';
import type { Rejection } from '@/server/csv/by-domain';
import { ActiveCell, cellMessage, duplicateOf, localPartOf } from '@/server/csv/cells';
import type { CsvLine } from '@/server/csv/read-csv';
import type { Tx } from '@/server/database/db';
import { isCommonPassword } from '@/server/secrets/password-rules.mjs';
import { mailboxList } from '../lists';
import { CreateMailbox } from '../schema';
import type { MailboxImportLine } from './schema';

/** As files in /etc, Dovecot and other mail servers' exports have them. */
const PASSWORD_HASH =
  /^(?:\{[A-Z0-9][A-Z0-9.-]{2,30}\}|\$(?:1|2[abxy]|5|6|y|argon2[a-z]{1,2}|pbkdf2[a-z0-9-]*)\$).{13}/i;

const NAMES = ['local_part', 'display_name', 'password', 'quota_mb', 'quota_bytes', 'active'] as const;

/** Columns of the export are read, too. Those that an import can't set are ignored. */
export const COLUMNS = {
  names: NAMES,
  required: ['local_part'],
  synonyms: { email: 'local_part' },
  ignored: mailboxList.csv.filter((column) => typeof column === 'string'),
  exact: 'password',
};

const NO_LIMIT = ['unlimited', 'none', '-1'];
const TOO_LARGE = `Enter at most ${formatCount(MAX_QUOTA_MB)} MB.`;
/** Other mail servers write 0 for no limit, so that a file with it doesn't mean a mailbox that rejects all mail. */
const TAKES_NOTHING =
  'A mailbox with a quota of 0 receives no mail. Enter unlimited, or nothing for the domain’s default.';

export type ParsedLine = {
  line: number;
  localPart: string;
  displayName: string;
  /** Undefined for one to generate. */
  password?: string;
  /** Null for no limit, undefined for the domain's default. */
  quotaBytes?: number | null;
  active: boolean;
};

const Row = CreateMailbox.pick({ local_part: true, display_name: true }).extend({
  password: z
    .union([z.literal(''), CreateMailbox.shape.password])
    .refine((text) => text === '' || !isCommonPassword(text), 'This password is too common. Choose another.')
    .refine(
      (text) => !PASSWORD_HASH.test(text),
      'This is the hash of a password, which can’t be imported. Leave it empty to have a password generated.',
    )
    .transform((text) => text || undefined),
  quota_mb: quotaCell('MB', 1024 * 1024),
  quota_bytes: quotaCell('bytes', 1),
  active: ActiveCell,
});

function quotaCell(unit: string, bytesOfUnit: number) {
  return z.string().transform((text, ctx) => {
    if (text === '') return undefined;
    if (NO_LIMIT.includes(text.toLowerCase())) return null;
    // Programs write whole numbers as `1024.0` where a column has empty cells.
    const bytes = /^\d+(?:\.0+)?$/.test(text) ? Number(text) * bytesOfUnit : Number.NaN;
    if (bytes > 0 && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
    const notWhole = `Enter a whole number of ${unit}, unlimited, or nothing for the domain’s default.`;
    const outOfRange = bytes === 0 ? TAKES_NOTHING : TOO_LARGE;
    ctx.addIssue({ code: 'custom', message: Number.isNaN(bytes) ? notWhole : outOfRange });
    return z.NEVER;
  });
}

/** A row as a mailbox, or the first thing that is wrong with it. */
export function readLine({ line, values, problem }: CsvLine, domain: AuthorizedDomain): ParsedLine | MailboxImportLine {
  const { localPart, problem: ofDomain } = localPartOf(values.local_part ?? '', domain.name);
  const raw = {
    local_part: localPart,
    display_name: values.display_name ?? '',
    password: values.password ?? '',
    quota_mb: values.quota_mb ?? '',
    quota_bytes: values.quota_bytes ?? '',
    active: values.active ?? '',
  };
  const fail = (code: string, message: string) =>
    report(domain, { line, localPart: raw.local_part, displayName: raw.display_name }, 'failed', { code, message });
  const message = problem ?? ofDomain;
  if (message) return fail('VALIDATION_ERROR', message);
  if (raw.quota_mb && raw.quota_bytes) return fail('VALIDATION_ERROR', 'Enter the quota in MB or in bytes, not both.');
  const parsed = Row.safeParse(raw);
  if (parsed.success) {
    const { local_part: local, display_name: displayName = '', password, quota_mb, quota_bytes, active } = parsed.data;
    const quotaBytes = quota_mb === undefined ? quota_bytes : quota_mb;
    return { line, localPart: local, displayName, password, quotaBytes, active };
  }
  const [issue] = parsed.error.issues;
  const code = raw.local_part === '' ? 'MISSING_FIELDS' : 'VALIDATION_ERROR';
  return fail(code, cellMessage(String(issue?.path[0]), issue?.message ?? ''));
}

/** A row whose domain can't be used. */
export function rejectedLine({ line, values }: CsvLine, rejection: Rejection): MailboxImportLine {
  const { local_part: localPart = '', display_name: displayName = '' } = values;
  return report(null, { line, localPart, displayName }, 'failed', rejection);
}

/** Checks rows against the mailboxes of the domain and the rows before them. */
export async function checkLines(tx: Tx, domain: AuthorizedDomain, parsed: ParsedLine[]): Promise<MailboxImportLine[]> {
  const existing = await tx.mailbox.findMany({
    where: { domainId: domain.id, localPart: { in: parsed.map(({ localPart }) => localPart) } },
    select: { localPart: true, displayName: true, quotaBytes: true, active: true },
  });
  const byLocalPart = new Map(existing.map((mailbox) => [mailbox.localPart, mailbox]));
  const firstLines = new Map<string, number>();
  return parsed.map((row) => {
    const firstLine = firstLines.get(row.localPart);
    if (firstLine !== undefined) return report(domain, row, 'failed', duplicateOf(firstLine));
    firstLines.set(row.localPart, row.line);
    const mailbox = byLocalPart.get(row.localPart);
    if (!mailbox) return report(domain, row, 'created');
    if (isSame(row, mailbox)) return report(domain, row, 'unchanged');
    const message = `The mailbox ${row.localPart}@${domain.name} already exists with other settings. Change it on its page.`;
    return report(domain, row, 'failed', { code: 'CONFLICT', message });
  });
}

type Existing = { displayName: string; quotaBytes: bigint | null; active: boolean };

/** A password can't be compared. */
function isSame({ password, displayName, quotaBytes, active }: ParsedLine, mailbox: Existing): boolean {
  const isSameQuota = quotaBytes === undefined || mailbox.quotaBytes === storedQuota(quotaBytes);
  return password === undefined && displayName === mailbox.displayName && isSameQuota && active === mailbox.active;
}

export function storedQuota(bytes: number | null): bigint | null {
  return bytes === null ? null : BigInt(bytes);
}

function report(
  domain: AuthorizedDomain | null,
  { line, localPart, displayName }: Pick<ParsedLine, 'line' | 'localPart' | 'displayName'>,
  outcome: MailboxImportLine['outcome'],
  error?: Rejection,
): MailboxImportLine {
  return {
    line,
    domain: domain?.name ?? null,
    local_part: localPart,
    display_name: displayName,
    outcome,
    code: error?.code ?? null,
    message: error?.message ?? null,
    password: null,
  };
}
