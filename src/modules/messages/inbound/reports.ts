import type { InboundMail } from '@/mail/inbound/port';
import {
  type ArrivedReports,
  NO_REPORTS,
  type ReportRecipient,
  readArrivedReports,
  reportKindOf,
} from '@/modules/reports/service';
import type { Database } from '@/server/db';
import { deliveredMailboxes } from './delivered-mailboxes';

/** Reads the reports in a message to an address of reports, or to the mailbox that its domain names for them. */
export async function readReportsIn(database: Database, mail: InboundMail): Promise<ArrivedReports> {
  if (mail.spam === 'blocked') return NO_REPORTS;
  const recipients = await findRecipients(database, mail);
  return recipients.length === 0 ? NO_REPORTS : readArrivedReports(mail.read, recipients);
}

async function findRecipients(database: Database, mail: InboundMail): Promise<ReportRecipient[]> {
  const destinations = mail.resolved.flatMap((route) => route.destinations);
  const unread = destinations.flatMap(({ address, domainId, reports }) =>
    domainId !== null && reports === 'unread' ? [{ address, domainId }] : [],
  );
  const mailboxes = deliveredMailboxes(mail);
  const named = [...unread, ...mailboxes].flatMap(({ address, domainId }) => {
    const kind = reportKindOf(address.slice(0, address.lastIndexOf('@')));
    return kind ? [{ domainId, kind }] : [];
  });
  return [...named, ...(await findReportMailboxes(database, mailboxes))];
}

async function findReportMailboxes(
  database: Database,
  mailboxes: { address: string; domainId: string }[],
): Promise<ReportRecipient[]> {
  if (mailboxes.length === 0) return [];
  const rows = await database.domain.findMany({
    where: { id: { in: mailboxes.map(({ domainId }) => domainId) }, reportMailboxId: { not: null } },
    select: { id: true, name: true, reportMailbox: { select: { localPart: true } } },
  });
  const addresses = new Set(mailboxes.map(({ address }) => address));
  const receiving = rows.filter(({ name, reportMailbox }) => addresses.has(`${reportMailbox?.localPart}@${name}`));
  return receiving.map(({ id }) => ({ domainId: id, kind: null }));
}
