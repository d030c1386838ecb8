type Holder<Value> = { current: Value | undefined };

const KEY = Symbol.for('postroom');
const holders = globalThis as typeof globalThis & { [KEY]?: Map<string, Holder<unknown>> };

/** Holds a value of which the process has one. A module variable would not do: Next.js loads a module once per bundle. */
export function processWide<Value>(name: string): Holder<Value> {
  holders[KEY] ??= new Map();
  const holder = holders[KEY].get(name) ?? { current: undefined };
  holders[KEY].set(name, holder);
  return holder as Holder<Value>;
}
