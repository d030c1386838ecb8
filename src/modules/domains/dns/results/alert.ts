import { openAlerts, resolveAlert, updateOpenAlert } from '@/modules/alerts/service';
import type { Tx } from '@/server/db';
import type { DomainDns } from '../schema';

/** A domain, with the status of the check before. */
type CheckedDomain = { id: string; name: string; active: boolean; dnsStatus: DomainDns['status'] };
type Result = { status: DomainDns['status']; broken: number; at: Date };

/**
 * Opens an alert when records that were right break, not for a new domain, updates it while they are broken, and closes it
 * when they are back. An inactive domain has none.
 */
export async function updateDnsAlert(tx: Tx, domain: CheckedDomain, { status, broken, at }: Result): Promise<void> {
  const { id, name, active, dnsStatus } = domain;
  const alert = { ...alertOf(name), domainId: id, count: broken, expected: 0 };
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
  const broken = await tx.dnsRecord.count({ where: { domainId: id, required: true, severity: 'error' } });
  const hadAlert = (await tx.alert.count({ where: { domainId: id, kind: 'dns_broken' }, take: 1 })) > 0;
  if (broken > 0 && hadAlert) {
    await openAlerts(tx, [{ ...alertOf(name), domainId: id, count: broken, expected: 0 }], at);
  }
}

function alertOf(domain: string) {
  return { kind: 'dns_broken', subject: domain } as const;
}
