import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

export type Random = ReturnType<typeof createRandom>;

export type Weighted<Value> = readonly (readonly [value: Value, weight: number])[];

/** A seeded generator (sfc32): the same seed gives the same sequence on every machine. */
export function createRandom(seed: string) {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, counter] = [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), 1];

  function bits(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  }

  const next = () => bits() / 2 ** 32;
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));

  function pick<Value>(values: readonly Value[]): Value {
    if (values.length === 0) throw new Error('There is nothing to pick from.');
    return values[int(0, values.length - 1)] as Value;
  }

  function weighted<Value>(choices: Weighted<Value>): Value {
    let rest = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of choices) {
      rest -= weight;
      if (rest < 0) return value;
    }
    return (choices.at(-1) as (typeof choices)[number])[0];
  }

  function sample<Value>(values: readonly Value[], count: number): Value[] {
    const rest = [...values];
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(int(0, rest.length - 1), 1)).flat();
  }

  /** A version 7 UUID for the given time. */
  function uuidAt(at: Date): string {
    const random = new Uint8Array(16);
    new DataView(random.buffer).setUint32(0, bits());
    for (let offset = 4; offset < 16; offset += 4) new DataView(random.buffer).setUint32(offset, bits());
    return uuidv7({ msecs: at.getTime(), random });
  }

  return { next, int, pick, weighted, sample, uuidAt, chance: (probability: number) => next() < probability };
}
