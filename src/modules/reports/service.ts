import { parseAddress } from '@/lib/mail/address';
import { organizationOf } from '@/lib/mail/organization';
import { REPORT_LOCAL_PARTS } from '@/lib/mail/report-addresses';
import { mailHostName } from '@/modules/domains/service';
import { type Database, database, type Tx } from '@/server/database/db';
import { findReported } from './intake/about';
import type { ReadJob, ReadReports } from './reading/read';
import { readReportsAside, withReports } from './reading/reader';
import type { ReportKind } from './reading/report';
import { countDropped, type Drop, storeReports, storeTimeoutMs } from './storing/store';

/** Where a message arrived. `kind` is null for a mailbox, which gets other mail too. */
export type ReportRecipient = { domainId: string; kind: ReportKind | null };

export type ArrivedReports = {
  /** Stores the reports, and counts what is not stored. Fails only if trying again may help. */
  store: (tx: Tx, at: Date) => Promise<void>;
  storeTimeoutMs: number;
};

// Longer mail is too large to be read, and so is its start.
const MAX_READ_BYTES = 16 * 1024 * 1024;
const STORE_TIMEOUT_MS = 30_000;

export const NO_REPORTS: ArrivedReports = { store: async () => {}, storeTimeoutMs: 0 };

type ArrivedMail = {
  read: () => Promise<Uint8Array>;
  /** The sender as known from another source than the header, which is then ignored: a confirmed domain, or null for none. */
  authenticatedDomain?: string | null;
};

/** Reads the reports in a message. What is in it never makes this fail. @throws while too many others are read */
export async function readArrivedReports(
  { read, authenticatedDomain: domain }: ArrivedMail,
  recipients: ReportRecipient[],
): Promise<ArrivedReports> {
  const mailHost = domain === undefined ? await mailHostName(database()) : undefined;
  const found = await readReportsAside(jobOf(await read(), mailHost));
  const sender = domain ? { domain: organizationOf(domain.toLowerCase()), isAuthenticated: true } : found.sender;
  return arrivedReports({ ...found, sender }, recipients);
}

/**
 * With a copy of the message, because the worker takes its bytes away from this thread.
 * @param mailHost whose Authentication-Results count
 */
function jobOf(raw: Uint8Array, mailHost: string | undefined): ReadJob {
  return { bytes: new Uint8Array(raw.subarray(0, MAX_READ_BYTES)), isMail: true, mailHost };
}

function arrivedReports(found: ReadReports, recipients: ReportRecipient[]): ArrivedReports {
  return {
    storeTimeoutMs: found.reports.reduce((sum, report) => sum + storeTimeoutMs(report), 0),
    store: (tx, at) => storeArrived(tx, found, recipients, at),
  };
}

/** Stores the reports in mail that no mailbox gets. @throws if trying again may help */
export async function storeReportMail(
  db: Database,
  mail: { raw: Uint8Array; addresses: string[] },
  at: Date,
): Promise<void> {
  const recipients = await findRecipients(db, mail.addresses);
  if (recipients.length === 0) return;
  await withReports(jobOf(mail.raw, await mailHostName(db)), async (found) => {
    const reports = arrivedReports(found, recipients);
    await db.$transaction((tx) => reports.store(tx, at), { timeout: STORE_TIMEOUT_MS + reports.storeTimeoutMs });
  });
}

async function findRecipients(db: Database, addresses: string[]): Promise<ReportRecipient[]> {
  const parsed = addresses.flatMap((address) => parseAddress(address) ?? []);
  const domains = await db.domain.findMany({
    where: { name: { in: parsed.map(({ domain }) => domain) }, active: true },
    select: { id: true, name: true },
  });
  return parsed.flatMap(({ local, domain }) => {
    const known = domains.find(({ name }) => name === domain);
    const kind = reportKindOf(local.toLowerCase());
    return known && kind ? [{ domainId: known.id, kind }] : [];
  });
}

/** The reports that an address of reports is for. */
export function reportKindOf(localPart: string): ReportKind | null {
  const [kind] = Object.entries(REPORT_LOCAL_PARTS).find(([, name]) => name === localPart) ?? [];
  return (kind as ReportKind | undefined) ?? null;
}

async function storeArrived(tx: Tx, found: ReadReports, recipients: ReportRecipient[], at: Date): Promise<void> {
  const recipient = recipients.find(({ kind }) => kind !== null) ?? recipients[0];
  if (!recipient) return;
  const { domainId } = recipient;
  const defaultKind = recipient.kind ?? 'dmarc';
  const drops: Drop[] = found.unreadable.map(({ kind, reason }) => ({ domainId, kind: kind ?? defaultKind, reason }));
  // An address of reports gets nothing else, unlike a mailbox.
  const isUnread = found.reports.length === 0 && found.unreadable.length === 0;
  if (isUnread && recipient.kind) drops.push({ domainId, kind: recipient.kind, reason: 'unreadable' });
  const addressedIds = recipients.map((one) => one.domainId);
  const splits = await findReported(tx, found.reports, addressedIds);
  for (const { given, parts } of splits) {
    if (parts.length === 0) drops.push({ domainId, kind: given.kind, reason: 'foreign_domain' });
  }
  const managed = splits.flatMap(({ parts }) => parts.map(({ report, domain }) => ({ report, domainId: domain.id })));
  const results = await storeReports(tx, managed, { source: 'mail', sender: found.sender, at });
  for (const [index, { report, domainId: ownId }] of managed.entries()) {
    const result = results[index];
    if (result?.status === 'rejected') drops.push({ domainId: ownId, kind: report.kind, reason: result.reason });
  }
  await countDropped(tx, drops, at);
}
