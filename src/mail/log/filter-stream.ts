import type { Redis } from 'ioredis';

export type StreamEntry = { id: string; at: Date; meta: unknown; raw: Uint8Array | null };

const STREAM = 'postroom:inbound';
// Each entry holds up to 2 MB.
const READ_SIZE = 10;
const STREAM_START = '0-0';
// Limits of the entries that one transaction records.
const MAX_ENTRIES = 100;
const MAX_BYTES = 2 * 1024 * 1024;

/** Reads the next entries after the given one, oldest first, as many as fit in a piece. Rejects while Redis is down. */
export async function readStream(redis: Redis, after: string): Promise<StreamEntry[]> {
  const piece: StreamEntry[] = [];
  let bytes = 0;
  for (;;) {
    const start = `(${piece.at(-1)?.id ?? (after || STREAM_START)}`;
    const found = await redis.xrangeBuffer(STREAM, start, '+', 'COUNT', READ_SIZE);
    const entries = found.map(([id, fields]) => entryOf(String(id), fields));
    piece.push(...entries);
    bytes += entries.reduce((sum, { raw }) => sum + (raw?.byteLength ?? 0), 0);
    if (entries.length < READ_SIZE || piece.length >= MAX_ENTRIES || bytes >= MAX_BYTES) return piece;
  }
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
