import { db } from './database';
import { makeDomain } from './factories';

type StoredRecord = { severity: 'error' | 'warning'; required: boolean };

/** A record that mail depends on and that is missing. */
export const BROKEN: StoredRecord = { severity: 'error', required: true };
export const BROKEN_MESSAGE = 'There is no MX record.';

const DAY_MS = 24 * 3_600_000;

/** A domain of yesterday whose last check found these records. */
export async function makeDomainWithRecords(records: StoredRecord[], over: { active?: boolean } = {}) {
  const domain = await makeDomain(over);
  const isBroken = records.some(({ severity, required }) => severity === 'error' && required);
  const at = new Date();
  const data = {
    dnsStatus: isBroken ? ('error' as const) : ('warning' as const),
    createdAt: new Date(at.getTime() - DAY_MS),
  };
  await db.domain.update({ where: { id: domain.id }, data });
  await db.dnsRecord.createMany({
    data: records.map((record, position) => ({
      ...record,
      domainId: domain.id,
      position,
      purpose: 'mx',
      type: 'MX',
      name: `${position}.${domain.name}`,
      found: [],
      status: 'missing',
      message: BROKEN_MESSAGE,
      changedAt: at,
      checkedAt: at,
    })),
  });
  return domain;
}

/** Makes the last check of a domain have found this server as its MX, so that its messages can have bounce addresses there. */
export function makeReceivingHere({ id: domainId, name }: { id: string; name: string }) {
  const at = new Date();
  const record = {
    domainId,
    purpose: 'mx',
    type: 'MX',
    name,
    position: 0,
    severity: 'ok',
    status: 'ok',
    required: true,
  };
  return db.dnsRecord.create({ data: { ...record, found: [], message: '', changedAt: at, checkedAt: at } });
}
