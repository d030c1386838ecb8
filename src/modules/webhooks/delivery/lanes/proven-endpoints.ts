import type { Outcome } from '../finish';

const PROMPT_MS = 1_000;
const PROVEN_FOR_MS = 10_000;

/**
 * Tracks the endpoints whose last attempt succeeded within a second, in the last 10 seconds. Only these get many
 * concurrent attempts, so that an endpoint that starts to hang occupies few slots.
 */
export function createProvenEndpoints() {
  const promptAt = new Map<string, number>();
  return {
    record(webhookId: string, { failure, durationMs }: Outcome, now: number): void {
      if (failure === null && durationMs < PROMPT_MS) promptAt.set(webhookId, now);
      else promptAt.delete(webhookId);
    },
    list(now: number): string[] {
      for (const [id, at] of promptAt) if (now - at > PROVEN_FOR_MS) promptAt.delete(id);
      return [...promptAt.keys()];
    },
  };
}
