import { isDatabaseAway } from '../db';

type Call<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };

type GroupOptions = {
  maxRunning: number;
  maxItems: number;
  /** How long a group waits for more calls. */
  waitMs?: number;
  /** How long a group that isn't full waits for one that runs. Longer than a run usually takes, so that groups are few. */
  patienceMs?: number;
};

/**
 * Runs calls together: those of one turn of the event loop, or of `waitMs`, and those that come while others run, up to
 * `maxRunning` groups at once. The calls of a group that fails run again one by one, unless the database is away.
 * @param run resolves with one result for each item, in order; a group that fails must have changed nothing
 */
export function groupCalls<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxRunning, maxItems, waitMs = 0, patienceMs = 0 }: GroupOptions,
): (item: Item) => Promise<Result> {
  const waiting: Call<Item, Result>[] = [];
  let running = 0;
  let isPatient = false;
  let patience: NodeJS.Timeout | undefined;

  function start(): void {
    while (running < maxRunning && waiting.length > 0) {
      if (running > 0 && isPatient && waiting.length < maxItems) return;
      running += 1;
      bePatient();
      void settle(waiting.splice(0, maxItems)).finally(() => {
        running -= 1;
        start();
      });
    }
  }

  function bePatient(): void {
    if (patienceMs === 0) return;
    clearTimeout(patience);
    isPatient = true;
    patience = setTimeout(() => {
      isPatient = false;
      start();
    }, patienceMs);
  }

  async function settle(calls: Call<Item, Result>[]): Promise<void> {
    try {
      const results = await run(calls.map(({ item }) => item));
      for (const [index, { resolve }] of calls.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (calls.length > 1 && !isDatabaseAway(error)) await Promise.all(calls.map((call) => settle([call])));
      else for (const { reject } of calls) reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (waiting.length > 1 && waiting.length !== maxItems) return;
      if (waitMs > 0) setTimeout(start, waitMs);
      else setImmediate(start);
    });
}

/** Finds values together, each key once; undefined for a key that `find` leaves out. */
export function groupLookups<Key, Value>(
  find: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>,
  options: GroupOptions,
): (key: Key) => Promise<Value | undefined> {
  return groupCalls(async (keys) => {
    const found = await find([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, options);
}
