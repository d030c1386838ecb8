/** Tasks that wait, by owner. Owners have turns, and one task at a time each, so that slow tasks of one delay no other's. */
export function createFairQueue<Task>(ownerOf: (task: Task) => unknown) {
  /** The owner whose turn is next comes first. */
  const waiting = new Map<unknown, Task[]>();
  const busy = new Set<unknown>();
  return {
    /** How many tasks wait of the owner of this one. */
    countBeside: (task: Task): number => waiting.get(ownerOf(task))?.length ?? 0,
    add(task: Task): void {
      const owner = ownerOf(task);
      const tasks = waiting.get(owner);
      if (tasks) tasks.push(task);
      else waiting.set(owner, [task]);
    },
    /** Takes the task whose turn it is. Its owner has no other turn until it is finished. */
    take(): Task | null {
      for (const [owner, tasks] of waiting) {
        if (busy.has(owner)) continue;
        busy.add(owner);
        if (tasks.length === 1) waiting.delete(owner);
        return tasks.shift() ?? null;
      }
      return null;
    },
    /** Ends the turn of the task's owner, whose next one comes after those of all others. */
    finish(task: Task): void {
      const owner = ownerOf(task);
      busy.delete(owner);
      const tasks = waiting.get(owner);
      if (!tasks) return;
      waiting.delete(owner);
      waiting.set(owner, tasks);
    },
  };
}
