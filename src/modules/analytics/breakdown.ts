import { hasRole } from '@/lib/access/roles';
import type { ActorContext } from '@/server/procedures/context';
import { breakdownCountsOf } from './figures';
import { groupBy } from './group-by';
import type { BreakdownEntry, Dimension } from './schema';
import { readValues, type Selected } from './sums';

/** The largest values first, then one entry for all others. */
export async function readBreakdown(
  ctx: ActorContext,
  selected: Selected,
  options: { dimension: Dimension; limit: number },
): Promise<BreakdownEntry[]> {
  const rows = await readValues(ctx.db, selected, options);
  const byValue = [...groupBy(rows, ({ value }) => value)];
  const labels = await labelsOf(
    ctx,
    options.dimension,
    byValue.map(([value]) => value).filter((value) => value !== ''),
  );
  const sizeOf = (counted: typeof rows) => counted.reduce((sum, { count }) => sum + count, 0);
  return byValue
    .toSorted(([one, ones], [other, others]) =>
      one === '' || other === ''
        ? Number(one === '') - Number(other === '')
        : sizeOf(others) - sizeOf(ones) || compare(one, other),
    )
    .map(([value, counted]) => ({
      value: value === '' ? null : value,
      label: labels.get(value) ?? null,
      ...breakdownCountsOf(counted),
    }));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** The names of domains, and of API keys that the caller can list. Deleted ones have none. */
async function labelsOf(
  { db, actor }: ActorContext,
  dimension: Dimension,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0 || (dimension !== 'domain' && dimension !== 'api_key')) return new Map();
  if (dimension === 'domain') {
    const domains = await db.domain.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
    return new Map(domains.map(({ id, name }) => [id, name]));
  }
  const { id: adminId, role } = actor.admin;
  const where = { id: { in: ids }, ...(!hasRole(role, 'super_admin') && { adminId }) };
  const keys = await db.apiKey.findMany({ where, select: { id: true, name: true } });
  return new Map(keys.map(({ id, name }) => [id, name]));
}
