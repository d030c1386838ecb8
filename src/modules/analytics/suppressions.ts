import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import type { Tx } from '@/server/db';
import { Prisma } from '@/server/prisma/client';
import type { Suppressions } from './schema';
import type { Selected } from './sums';

type Row = { reason: keyof Suppressions; isCurrent: boolean; count: number };

/** How many suppressions were added in the period and in the one before, and hold still. Reads those of both, by an index. */
export async function countSuppressions(
  db: Tx,
  { range, domainIds }: Selected,
): Promise<{ current: Suppressions; previous: Suppressions }> {
  const { start, end, previous } = range;
  const own = domainIds ? Prisma.sql`AND domain_id = ANY (${domainIds}::uuid[])` : Prisma.empty;
  const rows = await db.$queryRaw<Row[]>`
    SELECT reason::text AS reason, created_at >= ${start} AS "isCurrent", count(*)::integer AS count
      FROM suppression WHERE created_at >= ${previous.start} AND created_at < ${end} ${own} GROUP BY 1, 2`;
  const sum = (isCurrent: boolean) => {
    const found = rows.filter((row) => row.isCurrent === isCurrent).map(({ reason, count }) => [reason, count]);
    return { ...NONE, ...Object.fromEntries(found) };
  };
  return { current: sum(true), previous: sum(false) };
}

const NONE = Object.fromEntries(SUPPRESSION_REASONS.map((reason) => [reason, 0])) as Suppressions;
