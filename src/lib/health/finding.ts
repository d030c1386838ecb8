import { type CheckName, HEALTH_CHECKS } from './catalog';

type HealthStatus = 'ok' | 'degraded' | 'down' | 'unknown';

/** The result of a check. */
export type Finding = {
  name: CheckName;
  /** The host or service that it is about, if there can be several. */
  subject: string;
  status: HealthStatus;
  /** In the unit of the check. */
  value: number | null;
  latencyMs: number | null;
  /** Why it failed; empty otherwise. */
  message: string;
};

/** Judges a value by the limits of its check. */
export function measured(name: CheckName, value: number, subject = ''): Finding {
  return { name, subject, status: statusOf(name, value), value, latencyMs: null, message: '' };
}

/** Runs a check, and judges how long it took. One that fails or takes longer than `withinMs` is down. */
export async function probed(
  name: CheckName,
  subject: string,
  probe: (signal: AbortSignal) => Promise<unknown>,
  withinMs = 5_000,
): Promise<Finding> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(withinMs);
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`No answer within ${withinMs / 1000} seconds.`)), {
      once: true,
    });
  });
  try {
    await Promise.race([probe(signal), timeout]);
    const latencyMs = Math.round(performance.now() - startedAt);
    return { ...measured(name, latencyMs, subject), latencyMs };
  } catch (error) {
    return { name, subject, status: 'down', value: null, latencyMs: null, message: messageOf(error) };
  }
}

/** Gives up on a check that hangs, such as one on a network file system, which can't be aborted. */
export async function within<Result>(work: Promise<Result>, ms = 5_000): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms / 1000} seconds.`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A check that could not be made. */
export function unknown(name: CheckName, subject: string, error: unknown): Finding {
  return { name, subject, status: 'unknown', value: null, latencyMs: null, message: messageOf(error) };
}

function statusOf(name: CheckName, value: number): HealthStatus {
  const { limits } = HEALTH_CHECKS[name];
  if (!limits) return 'ok';
  const isBeyond = (limit: number | null) => limit !== null && (limits.is === 'above' ? value > limit : value < limit);
  if (isBeyond(limits.down)) return 'down';
  return isBeyond(limits.degraded) ? 'degraded' : 'ok';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
