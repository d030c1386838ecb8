import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LogPosition, openLog } from './log-files';

let path: string;
let position: LogPosition | null;
const onGap = vi.fn();

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-log-'));
  path = join(folder, 'mail.log');
  position = null;
  onGap.mockClear();
  return () => rm(folder, { recursive: true });
});

/** Continues where the last call stopped. */
async function readNewLines(): Promise<string[]> {
  const log = await openLog(path);
  const lines: string[] = [];
  for await (const chunk of log.read(position, onGap)) {
    lines.push(...chunk.lines);
    position = chunk.position;
  }
  await log.close();
  return lines;
}

const rotate = (stamp: string) => rename(path, `${path}.${stamp}`);

describe('reading a log', () => {
  it('continues where it stopped, with complete lines only', async () => {
    await writeFile(path, 'one\ntwo\nthr');
    expect(await readNewLines()).toEqual(['one', 'two']);
    expect(await readNewLines()).toEqual([]);
    await appendFile(path, 'ee\nfour\n');
    expect(await readNewLines()).toEqual(['three', 'four']);
  });

  it('returns nothing for a missing or empty file', async () => {
    expect(await readNewLines()).toEqual([]);
    await writeFile(path, '');
    expect(await readNewLines()).toEqual([]);
    await writeFile(path, 'no line yet');
    expect(await readNewLines()).toEqual([]);
    expect(position).toBeNull();
  });

  it('follows any number of rotations', async () => {
    await writeFile(path, 'one\ntwo\n');
    expect(await readNewLines()).toEqual(['one', 'two']);
    await appendFile(path, 'three\n');
    await rotate('20261121-010000');
    await writeFile(path, 'four\n');
    await rotate('20261121-020000');
    await writeFile(path, 'five\n');
    expect(await readNewLines()).toEqual(['three', 'four', 'five']);
    await rotate('20261121-030000');
    expect(await readNewLines()).toEqual([]);
    await writeFile(path, 'six\n');
    expect(await readNewLines()).toEqual(['six']);
    expect(onGap).not.toHaveBeenCalled();
  });

  it('starts with the oldest file', async () => {
    await writeFile(`${path}.20261121-010000`, 'one\n');
    await writeFile(path, 'two\n');
    expect(await readNewLines()).toEqual(['one', 'two']);
  });

  it('starts over with the oldest remaining file if the last read file is gone, and reports the gap', async () => {
    await writeFile(path, 'one\n');
    await readNewLines();
    await rm(path);
    await writeFile(`${path}.20261121-010000`, 'two\n');
    await writeFile(path, 'three\n');
    expect(await readNewLines()).toEqual(['two', 'three']);
    expect(onGap).toHaveBeenCalledOnce();
  });

  it('returns chunks of complete lines, each with its position', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'é'.repeat(index % 50)}`);
    await writeFile(path, `${lines.join('\n')}\n`);
    const log = await openLog(path);
    onTestFinished(log.close);
    const chunks: string[][] = [];
    const offsets: number[] = [];
    for await (const chunk of log.read(null, onGap)) {
      chunks.push(chunk.lines);
      offsets.push(chunk.position.offset);
    }
    expect(chunks.flat()).toEqual(lines);
    expect(chunks.length).toBeGreaterThan(2);
    expect(offsets).toEqual(offsets.toSorted((one, other) => one - other));
  });

  it('stops at the size that the file had when it was opened', async () => {
    await writeFile(path, 'one\n');
    const log = await openLog(path);
    onTestFinished(log.close);
    await appendFile(path, 'two\n');
    const lines: string[] = [];
    for await (const chunk of log.read(null, onGap)) lines.push(...chunk.lines);
    expect(lines).toEqual(['one']);
  });

  it('skips zero bytes and endless lines, as after a crash of the host', async () => {
    await writeFile(path, `one\n\0\0\0two\n${'x'.repeat(200_000)}\nthree\n`);
    const lines = await readNewLines();
    expect(lines.slice(0, 2)).toEqual(['one', 'two']);
    expect(lines.at(-1)).toBe('three');
  });
});
