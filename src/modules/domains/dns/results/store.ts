import type { Tx } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import type { Domain } from '../../schema';
import type { CheckedRecord } from '../checking/check-record';
import { ownPolicy } from '../records/sending/dmarc';
import type { DnsChange, DnsRecord, DomainDns } from '../schema';
import { updateDnsAlert } from './alert';
import { emitDnsChanged } from './changed-event';
import { compareChecks, type NewRow, type Row } from './compare';
import { readProgress } from './progress';

const MIN_RECHECK_SECONDS = 300;
const RECENT_MS = 24 * 60 * 60 * 1000;

type DomainRow = { id: string; name: string; active: boolean; dnsStatus: DomainDns['status'] };
type Check = { checked: CheckedRecord[]; at: Date };

/**
 * Stores what a check found, and how it differs from the check before.
 * @returns the domain's new status, null if the domain no longer exists
 */
export async function storeCheck(
  tx: Tx,
  domainId: string,
  { checked, at }: Check,
): Promise<DomainDns['status'] | null> {
  // One check of a domain stores at a time.
  const [domain] = await tx.$queryRaw<DomainRow[]>`
    SELECT id, name, active, dns_status AS "dnsStatus" FROM domain WHERE id = ${domainId}::uuid FOR NO KEY UPDATE`;
  if (!domain) return null;
  const earlier = await tx.dnsRecord.findMany({ where: { domainId } });
  const { rows, changes } = compareChecks(earlier, checked, { domainId, at });
  await tx.dnsRecord.deleteMany({ where: { domainId } });
  await tx.dnsRecord.createMany({ data: rows });
  await tx.dnsChange.createMany({ data: changes });
  await tx.dnsCheck.deleteMany({ where: { domainId } });
  const broken = rows.filter(isBroken);
  const status = broken.length > 0 ? 'error' : statusOf(rows);
  await updateDnsAlert(tx, domain, { status, broken, at });
  await emitDnsChanged(tx, domain, { status, changes, at });
  const isOwner = rows.some((row) => row.purpose === 'ownership' && row.status === 'ok');
  const policy = dmarcPolicyOf(checked);
  // Not by Prisma, which would set updated_at too.
  await tx.$executeRaw`
    UPDATE domain SET dns_status = ${status}::dns_status, dmarc_policy = CASE WHEN ${policy} = 'unknown' AND dns_checked_at IS NOT NULL
                                                                              THEN dmarc_policy ELSE ${policy} END,
                      dns_checked_at = ${at},
                      next_dns_check_at = least(next_dns_check_at,
                                                now() + ${recheckSeconds(rows, at)} * (1 + random() / 5) * interval '1 second'),
                      verified_at = CASE WHEN ${isOwner} THEN coalesce(verified_at, ${at}) ELSE verified_at END
     WHERE id = ${domainId}::uuid`;
  return status;
}

export async function readDns(db: Tx, domainId: string): Promise<DomainDns> {
  const [domain, records, check] = await Promise.all([
    db.domain.findUniqueOrThrow({ where: { id: domainId }, select: { dnsStatus: true, dnsCheckedAt: true } }),
    db.dnsRecord.findMany({ where: { domainId }, orderBy: { position: 'asc' } }),
    readProgress(db, domainId),
  ]);
  return {
    status: domain.dnsStatus,
    checked_at: domain.dnsCheckedAt?.toISOString() ?? null,
    records: records.map(present),
    check,
  };
}

/**
 * When resolvers forget the first record that needs fixing, and that somebody may be fixing: it changed within a day. null
 * without one, or if nobody knows.
 */
function recheckSeconds(rows: NewRow[], at: Date): number | null {
  const isRecent = ({ changedAt }: NewRow) => at.getTime() - new Date(changedAt).getTime() < RECENT_MS;
  const ttls = rows.filter((row) => isProblem(row) && isRecent(row)).flatMap(({ ttlSeconds }) => ttlSeconds ?? []);
  return ttls.length > 0 ? Math.max(MIN_RECHECK_SECONDS, Math.min(...ttls)) : null;
}

/** The policy that applies to the domain; `unknown` if it couldn't be looked up, null without a valid one. */
function dmarcPolicyOf(checked: readonly CheckedRecord[]): Domain['dmarc_policy'] {
  const record = checked.find(({ purpose }) => purpose === 'dmarc');
  if (!record || (record.status === 'temporary_error' && record.found.length === 0)) return 'unknown';
  return record.inherited_from === null ? ownPolicy(record.found) : (record.policy ?? null);
}

function isBroken({ severity, required }: { severity: string; required: boolean }): boolean {
  return severity === 'error' && required;
}

function statusOf(records: { severity: string }[]): 'ok' | 'warning' {
  return records.some(isProblem) ? 'warning' : 'ok';
}

function isProblem({ severity }: { severity: string }): boolean {
  return severity === 'error' || severity === 'warning';
}

export function presentChange(row: Prisma.DnsChangeGetPayload<object>): DnsChange {
  return {
    id: row.id,
    purpose: row.purpose as DnsChange['purpose'],
    type: row.type as DnsChange['type'],
    name: row.name,
    before: row.before,
    after: row.after,
    status: row.status as DnsChange['status'],
    at: row.at.toISOString(),
  };
}

function present(row: Row): DnsRecord {
  return {
    purpose: row.purpose as DnsRecord['purpose'],
    type: row.type as DnsRecord['type'],
    name: row.name,
    expected: row.expected,
    found: row.found,
    inherited_from: row.inheritedFrom,
    status: row.status as DnsRecord['status'],
    severity: row.severity as DnsRecord['severity'],
    required: row.required,
    message: row.message,
    fix: row.fix,
    ttl: row.ttlSeconds,
    authoritative: row.authoritative as DnsRecord['authoritative'],
    changed_at: row.changedAt.toISOString(),
    checked_at: row.checkedAt.toISOString(),
  };
}
