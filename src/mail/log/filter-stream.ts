import type { Redis } from 'ioredis';

export type StreamEntry = { id: string; at: Date; meta: unknown; raw: Uint8Array | null };

const STREAM = 'postroom:inbound';
// Each entry holds up to 2 MB.
const BATCH_SIZE = 10;
const STREAM_START = '0-0';

/** Reads the next entries after the given one, oldest first, a few at a time. Rejects while Redis is down. */
export async function readStream(redis: Redis, after: string): Promise<StreamEntry[]> {
  const start = `(${after || STREAM_START}`;
  const entries = await redis.xrangeBuffer(STREAM, start, '+', 'COUNT', BATCH_SIZE);
  return entries.map(([id, fields]) => entryOf(String(id), fields));
}

/** Trims recorded entries to free their memory. */
export async function trimStream(redis: Redis, upTo: string): Promise<void> {
  if (upTo !== '') await redis.xtrim(STREAM, 'MINID', following(upTo));
}

function entryOf(id: string, fields: Buffer[]): StreamEntry {
  const values = new Map<string, Buffer>();
  for (let index = 0; index + 1 < fields.length; index += 2) {
    values.set(String(fields[index]), fields[index + 1] as Buffer);
  }
  const raw = values.get('raw');
  return { id, at: new Date(Number(id.split('-')[0])), meta: parsed(values.get('meta')), raw: raw ?? null };
}

/** Headers may contain any bytes, so the filter's output may not be valid JSON. */
function parsed(meta: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(meta ?? 'null'));
  } catch {
    return null;
  }
}

function following(id: string): string {
  const [time, count] = id.split('-');
  return `${time}-${BigInt(count ?? 0) + 1n}`;
}
