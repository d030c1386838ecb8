import { type NewAlert, openAlerts, resolveAlert, updateOpenAlert } from '@/modules/alerts/service';
import type { Tx } from '@/server/database/db';
import type { DomainDns } from '../schema';

/** A domain, with the status of the check before. */
type CheckedDomain = { id: string; name: string; active: boolean; dnsStatus: DomainDns['status'] };
/** `broken` has the records that mail depends on. */
type Result = { status: DomainDns['status']; broken: { message: string }[]; at: Date };

/**
 * Opens an alert when records that were right break, not for a new domain, updates it while they are broken, and closes it
 * when they are back. An inactive domain has none.
 */
export async function updateDnsAlert(tx: Tx, domain: CheckedDomain, { status, broken, at }: Result): Promise<void> {
  const { id, name, active, dnsStatus } = domain;
  const alert = newAlert({ id, name }, broken);
  if (!active || status !== 'error') await resolveAlert(tx, alert, at);
  else if (dnsStatus === 'ok' || dnsStatus === 'warning') await openAlerts(tx, [alert], at);
  else await updateOpenAlert(tx, alert);
}

/** Closes the alert of a domain that was deactivated. Opens it again with the domain if records are still broken. */
export async function followActive(
  tx: Tx,
  { id, name, active }: Omit<CheckedDomain, 'dnsStatus'>,
  at: Date,
): Promise<void> {
  if (!active) return resolveAlert(tx, alertOf(name), at);
  const broken = await tx.dnsRecord.findMany({
    where: { domainId: id, required: true, severity: 'error' },
    select: { message: true },
    orderBy: { position: 'asc' },
  });
  const hadAlert = (await tx.alert.count({ where: { domainId: id, kind: 'dns_broken' }, take: 1 })) > 0;
  if (broken.length > 0 && hadAlert) await openAlerts(tx, [newAlert({ id, name }, broken)], at);
}

function newAlert({ id, name }: Pick<CheckedDomain, 'id' | 'name'>, broken: Result['broken']): NewAlert {
  return { ...alertOf(name), domainId: id, count: broken.length, expected: 0, text: broken[0]?.message ?? '' };
}

function alertOf(domain: string) {
  return { kind: 'dns_broken', subject: domain } as const;
}
