/** Sorts items whose name begins with the text first, then those that have it, then the others. */
export function byRank<Each>(all: readonly Each[], nameOf: (each: Each) => string, text: string): Each[] {
  return all.toSorted((one, other) => rankOf(nameOf(one), text) - rankOf(nameOf(other), text));
}

export function rankOf(name: string, text: string): number {
  const lower = name.toLowerCase();
  if (lower.startsWith(text)) return 0;
  return lower.includes(text) ? 1 : 2;
}

export function apart<Each>(all: Each[], isExact: (each: Each) => boolean): [Each[], Each[]] {
  return [all.filter(isExact), all.filter((each) => !isExact(each))];
}

export function matches(text: string, words: string): boolean {
  const haystack = text.toLowerCase();
  return words.split(/\s+/).every((word) => haystack.includes(word));
}

/** Puts items of the same group together, in the order in which the groups first appear. */
export function grouped<Each extends { group: string }>(all: readonly Each[]): Each[] {
  const groups = [...new Set(all.map(({ group }) => group))];
  return groups.flatMap((name) => all.filter(({ group }) => group === name));
}
