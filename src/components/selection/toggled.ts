type Place = {
  /** All rows, in their order. */
  shown: readonly string[];
  /** The row that was toggled before, if all rows from there to this one are to be as this one. */
  last: string | null;
};

/** The selected rows after one of them is toggled. */
export function toggled(selected: readonly string[], key: string, { shown, last }: Place): Set<string> {
  const [from, to] = [last === null ? -1 : shown.indexOf(last), shown.indexOf(key)].sort((one, other) => one - other);
  const range = from === undefined || from < 0 ? [key] : shown.slice(from, (to ?? from) + 1);
  if (!selected.includes(key)) return new Set([...selected, ...range]);
  return new Set(selected.filter((other) => !range.includes(other)));
}
