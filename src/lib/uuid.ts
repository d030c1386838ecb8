import { v7 } from 'uuid';

const ID_BYTES = 16;
const random = new Uint8Array(256 * ID_BYTES);
let used = random.length;
let last = { msecs: -1, seq: 0 };

/** A new UUIDv7, later in order than all before it in this process. Random bytes are drawn for many ids at once. */
export function uuidv7(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const bytes = random.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  last = following(Date.now(), bytes);
  return v7({ ...last, random: bytes });
}

/** A new millisecond begins at a random number, and the next id in it has the next one. */
function following(now: number, bytes: Uint8Array): typeof last {
  if (now > last.msecs) return { msecs: now, seq: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) >>> 1 };
  const seq = (last.seq + 1) | 0;
  return { msecs: seq === 0 ? last.msecs + 1 : last.msecs, seq };
}
