import type { Outcome } from './finish';

const PROMPT_MS = 1_000;
const REMEMBERED_MS = 10_000;

/**
 * Which endpoints answered well and promptly just now. Only they may have many attempts at once: an endpoint that begins
 * to hang holds few, and those of others find room.
 */
export function createPace() {
  const promptAt = new Map<string, number>();
  return {
    note(webhookId: string, { failure, durationMs }: Outcome, now: number): void {
      if (failure === null && durationMs < PROMPT_MS) promptAt.set(webhookId, now);
      else promptAt.delete(webhookId);
    },
    proven(now: number): string[] {
      for (const [id, at] of promptAt) if (now - at > REMEMBERED_MS) promptAt.delete(id);
      return [...promptAt.keys()];
    },
  };
}
