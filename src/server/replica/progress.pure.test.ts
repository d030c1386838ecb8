import { describe, expect, it } from 'vitest';
import { createProgress } from './watch';

describe('the lag of a replica', () => {
  it('is unknown until it has replayed what the primary had written when it was first asked', () => {
    const progress = createProgress();
    progress.record({ replayed: 90n, written: 100n, at: 0 });
    expect(progress.lagMs(5)).toBe(Number.POSITIVE_INFINITY);
    progress.record({ replayed: 100n, written: 120n, at: 1_000 });
    expect(progress.lagMs(1_500)).toBe(1_500);
  });

  it('grows while it replays nothing, and ends once it has caught up', () => {
    const progress = createProgress();
    progress.record({ replayed: 100n, written: 100n, at: 0 });
    for (let at = 1_000; at <= 300_000; at += 1_000)
      progress.record({ replayed: 100n, written: 100n + BigInt(at), at });
    expect(progress.lagMs(300_000)).toBe(300_000);
    progress.recordReplayed(300_100n);
    expect(progress.lagMs(300_500)).toBe(500);
  });

  it('stays small while there is nothing to replay', () => {
    const progress = createProgress();
    for (let at = 0; at <= 60_000; at += 1_000) progress.record({ replayed: 100n, written: 100n, at });
    expect(progress.lagMs(60_100)).toBe(100);
  });

  it('is measured again after a failover to a primary that had written less', () => {
    const progress = createProgress();
    progress.record({ replayed: 100n, written: 100n, at: 0 });
    progress.record({ replayed: 80n, written: 90n, at: 1_000 });
    expect(progress.lagMs(1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(progress.hasReplayed(100n)).toBe(false);
    progress.record({ replayed: 90n, written: 95n, at: 2_000 });
    expect(progress.lagMs(2_000)).toBe(1_000);
  });
});
