import { isDatabaseAway } from '../database/db';

type Call<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };

type GroupOptions = {
  maxRunning: number;
  maxItems: number;
  /** How long a group waits for more calls. */
  waitMs?: number;
  /** The number of calls that a group doesn't wait with, while so many others run. By default, only a full one doesn't. */
  enough?: (running: number) => number;
};

/**
 * Runs calls together: those of one turn of the event loop, or of `waitMs`, and those that come while others run, up to
 * `maxRunning` groups at once. The calls of a group that fails run again one by one, unless the database is away.
 * @param run resolves with one result for each item, in order; a group that fails must have changed nothing
 */
export function groupCalls<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { maxRunning, maxItems, waitMs = 0, enough = () => maxItems }: GroupOptions,
): (item: Item) => Promise<Result> {
  const waiting: Call<Item, Result>[] = [];
  let running = 0;
  let isStarting = false;
  let hasWaited = waitMs === 0;
  let timer: NodeJS.Timeout | undefined;

  function start(): void {
    while (running < maxRunning && isReady()) {
      running += 1;
      void settle(take()).finally(() => {
        running -= 1;
        start();
      });
    }
  }

  function isReady(): boolean {
    return waiting.length > 0 && (hasWaited || waiting.length >= Math.min(maxItems, enough(running)));
  }

  function take(): Call<Item, Result>[] {
    const group = waiting.splice(0, maxItems);
    if (waitMs === 0) return group;
    clearTimeout(timer);
    hasWaited = false;
    if (waiting.length > 0) wait();
    return group;
  }

  function wait(): void {
    timer = setTimeout(() => {
      hasWaited = true;
      start();
    }, waitMs);
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
      if (waitMs > 0 && waiting.length === 1) wait();
      if (isStarting) return;
      isStarting = true;
      setImmediate(() => {
        isStarting = false;
        start();
      });
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
