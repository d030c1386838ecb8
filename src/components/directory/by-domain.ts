type Sort = { field: string; order: 'asc' | 'desc' } | undefined;

/**
 * The rows of a page in the order of their local parts, those that have the same by their domain: the API has these in the
 * order in which they were added.
 */
export function byDomain<Row>(rows: Row[], addressOf: (row: Row) => string, sort: Sort): Row[] {
  if (sort?.field !== 'local_part' && sort?.field !== 'source_local_part') return rows;
  const direction = sort.order === 'asc' ? 1 : -1;
  const groups: { local: string; rows: { row: Row; domain: string }[] }[] = [];
  for (const row of rows) {
    const address = addressOf(row);
    const at = address.lastIndexOf('@');
    const [local, domain] = [address.slice(0, at), address.slice(at)];
    const group = groups.at(-1);
    if (group?.local === local) group.rows.push({ row, domain });
    else groups.push({ local, rows: [{ row, domain }] });
  }
  return groups.flatMap((group) =>
    group.rows.toSorted((one, other) => direction * compare(one.domain, other.domain)).map(({ row }) => row),
  );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
