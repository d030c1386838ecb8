import { isBounceAddress, isComplaintAddress, isUnsubscribeAddress } from '@/lib/mail/report-addresses';
import type { InboundMail, ResolvedAddress } from '@/mail/inbound/port';
import {
  type ArrivedReports,
  NO_REPORTS,
  type ReportRecipient,
  readArrivedReports,
  reportKindOf,
} from '@/modules/reports/service';
import { groupLookups } from '@/server/background/group-calls';
import { database } from '@/server/database/db';
import { storeReturnedMail } from '../returned/store';
import { deliveredMailboxes } from './delivered-mailboxes';

type Destination = ResolvedAddress['destinations'][number];

/** Reads the reports in a message to an address of reports, or to the mailbox that its domain names for them. */
export async function readReportsIn(mail: InboundMail): Promise<ArrivedReports> {
  if (mail.spam === 'blocked') return NO_REPORTS;
  const recipients = await findRecipients(mail);
  return recipients.length === 0 ? NO_REPORTS : readArrivedReports(mail, recipients);
}

/** Stores what a message to bounce addresses, for complaints, or to unsubscribe says. @returns the message without the bounce addresses */
export async function storeBouncesIn(mail: InboundMail): Promise<InboundMail> {
  const isBounce = ({ address, reports }: Destination) => reports === 'unread' && isBounceAddress(address);
  const isUnread = (to: Destination) =>
    isBounce(to) || (to.reports === 'unread' && (isComplaintAddress(to.address) || isUnsubscribeAddress(to.address)));
  const addresses = mail.resolved.flatMap(({ destinations }) =>
    destinations.filter(isUnread).map(({ address }) => address),
  );
  if (mail.spam === 'blocked' || addresses.length === 0) return mail;
  const { mailFrom, sizeBytes, receivedAt } = mail;
  const returned = { raw: await mail.read(), sizeBytes, mailFrom, addresses };
  await storeReturnedMail(database(), returned, receivedAt);
  const resolved = mail.resolved.flatMap((route) => {
    const destinations = route.destinations.filter((to) => !isBounce(to));
    return destinations.length > 0 ? [{ ...route, destinations }] : [];
  });
  return { ...mail, resolved };
}

async function findRecipients(mail: InboundMail): Promise<ReportRecipient[]> {
  const destinations = mail.resolved.flatMap((route) => route.destinations);
  const unread = destinations.flatMap(({ address, domainId, reports }) =>
    domainId !== null && reports === 'unread' ? [{ address, domainId }] : [],
  );
  const mailboxes = deliveredMailboxes(mail);
  const named = [...unread, ...mailboxes].flatMap(({ address, domainId }) => {
    const kind = reportKindOf(address.slice(0, address.lastIndexOf('@')));
    return kind ? [{ domainId, kind }] : [];
  });
  return [...named, ...(await findReportMailboxes(mailboxes))];
}

async function findReportMailboxes(mailboxes: { address: string; domainId: string }[]): Promise<ReportRecipient[]> {
  const addresses = new Set(mailboxes.map(({ address }) => address));
  const domainIds = [...new Set(mailboxes.map(({ domainId }) => domainId))];
  const named = await Promise.all(domainIds.map(reportMailboxOf));
  const receiving = domainIds.filter((_, index) => addresses.has(named[index] ?? ''));
  return receiving.map((domainId) => ({ domainId, kind: null }));
}

/** The address of the mailbox that a domain names for reports. */
const reportMailboxOf = groupLookups(
  async (domainIds: string[]) => {
    const rows = await database().$queryRaw<{ id: string; address: string }[]>`/* prepared */
      SELECT d.id, m.local_part || '@' || d.name AS address
        FROM domain d JOIN mailbox m ON m.id = d.report_mailbox_id WHERE d.id = ANY(${domainIds}::uuid[])`;
    return new Map(rows.map(({ id, address }) => [id, address]));
  },
  { maxRunning: 1, maxItems: 100 },
);
