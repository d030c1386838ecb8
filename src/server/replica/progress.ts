const MAX_KEPT = 120;

/**
 * How far a replica is behind, measured against what the primary had written at known times. It needs no clock but this
 * process's, and tells a replica that receives nothing from one that has nothing to receive.
 */
export function createProgress() {
  /** What the primary had written, and when it was asked. The first one is the newest that the replica has replayed. */
  let written: { position: bigint; at: number }[] = [];
  let replayed = -1n;

  const recordReplayed = (position: bigint): void => {
    replayed = position;
    const newest = written.findLastIndex((known) => known.position <= replayed);
    if (newest > 0) written = written.slice(newest);
  };

  return {
    recordReplayed,
    /** `at` is before the primary was asked. */
    record(found: { replayed: bigint; written: bigint; at: number }): void {
      // After a failover, positions can be lower.
      if (written.some(({ position }) => position > found.written)) written = [];
      written.push({ position: found.written, at: found.at });
      if (written.length > MAX_KEPT) written.splice(1, 1);
      recordReplayed(found.replayed);
    },
    reset(): void {
      written = [];
      replayed = -1n;
    },
    hasReplayed: (position: bigint): boolean => position <= replayed,
    isBehind: (position: bigint): boolean => position < replayed,
    /** Everything that was committed this long ago is on the replica. Infinite while that isn't known. */
    lagMs(now: number): number {
      const [first] = written;
      return first && first.position <= replayed ? now - first.at : Number.POSITIVE_INFINITY;
    },
  };
}
