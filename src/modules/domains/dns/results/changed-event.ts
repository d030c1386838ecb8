import { emitEvent } from '@/modules/events/service';
import type { Tx } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import type { DnsChange, DomainDns } from '../schema';

type Status = DomainDns['status'];
type Changes = { status: Status; changes: Prisma.DnsChangeCreateManyInput[]; at: Date };

const MAX_CHANGES = 20;
const MAX_VALUES = 10;
const MAX_VALUE_LENGTH = 500;

/** Emits domain.dns_changed if a check found something else than the check before it. */
export async function emitDnsChanged(
  tx: Tx,
  { id, name, dnsStatus }: { id: string; name: string; dnsStatus: Status },
  { status, changes, at }: Changes,
): Promise<void> {
  if (dnsStatus === 'unchecked' || (changes.length === 0 && status === dnsStatus)) return;
  const data = {
    domain: name,
    domain_id: id,
    status,
    previous_status: dnsStatus,
    changes: changes.slice(0, MAX_CHANGES).map((change) => ({
      purpose: change.purpose as DnsChange['purpose'],
      type: change.type as DnsChange['type'],
      name: change.name,
      before: shortened(change.before),
      after: shortened(change.after),
      status: change.status as DnsChange['status'],
    })),
  };
  await emitEvent(tx, { type: 'domain.dns_changed', messageId: null, messageRowId: null, domainId: id, at, data });
}

function shortened(values: Prisma.DnsChangeCreateManyInput['before']): string[] {
  return [values ?? []]
    .flat()
    .slice(0, MAX_VALUES)
    .map((value) => String(value).slice(0, MAX_VALUE_LENGTH).toWellFormed());
}
