export type Slots = {
  /** True once a slot is held; false if none was free by `deadlineAt` (performance.now()) or before close. */
  take: (deadlineAt: number) => Promise<boolean>;
  free: () => void;
  close: () => void;
};

/** A fair semaphore with `count` slots. Not p-queue: here a slot stays held after the result is known, and waiting ends. */
export function createSlots(count: number): Slots {
  let available = count;
  let isClosed = false;
  const waiting = new Set<(isTaken: boolean) => void>();

  return {
    take(deadlineAt) {
      if (isClosed) return Promise.resolve(false);
      if (available > 0) {
        available -= 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const settle = (isTaken: boolean) => {
          clearTimeout(timer);
          waiting.delete(settle);
          resolve(isTaken);
        };
        const timer = setTimeout(settle, Math.max(0, deadlineAt - performance.now()), false);
        waiting.add(settle);
      });
    },
    free() {
      const [next] = waiting;
      if (next) next(true);
      else available += 1;
    },
    close() {
      isClosed = true;
      for (const settle of [...waiting]) settle(false);
    },
  };
}
