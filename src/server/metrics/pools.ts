import type { Pool } from 'pg';
import { processWide } from '../process-wide';

type PoolName = 'main' | 'reads' | 'replica' | 'limits';

const shared = processWide<Map<PoolName, Pool>>('connection pools');

/** Reports the connections of a pool. Of pools with the same name, the one that was created last. */
export function reportPool(name: PoolName, pool: Pool): void {
  shared.current ??= new Map();
  shared.current.set(name, pool);
}

export function poolFigures() {
  return [...(shared.current ?? [])].map(([pool, { totalCount, idleCount, waitingCount, options }]) => ({
    pool,
    inUse: totalCount - idleCount,
    idle: idleCount,
    waiting: waitingCount,
    max: options.max,
  }));
}
