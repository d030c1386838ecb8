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

/** Reads on from where the last one stopped. */
async function readOn(): Promise<string[]> {
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

describe('a log', () => {
  it('is read on from where reading stopped, whole lines only', async () => {
    await writeFile(path, 'one\ntwo\nthr');
    expect(await readOn()).toEqual(['one', 'two']);
    expect(await readOn()).toEqual([]);
    await appendFile(path, 'ee\nfour\n');
    expect(await readOn()).toEqual(['three', 'four']);
  });

  it('that is not there, or empty, has nothing to read', async () => {
    expect(await readOn()).toEqual([]);
    await writeFile(path, '');
    expect(await readOn()).toEqual([]);
    await writeFile(path, 'no line yet');
    expect(await readOn()).toEqual([]);
    expect(position).toBeNull();
  });

  it('is read through rotations, however many there were', async () => {
    await writeFile(path, 'one\ntwo\n');
    expect(await readOn()).toEqual(['one', 'two']);
    await appendFile(path, 'three\n');
    await rotate('20261121-010000');
    await writeFile(path, 'four\n');
    await rotate('20261121-020000');
    await writeFile(path, 'five\n');
    expect(await readOn()).toEqual(['three', 'four', 'five']);
    await rotate('20261121-030000');
    expect(await readOn()).toEqual([]);
    await writeFile(path, 'six\n');
    expect(await readOn()).toEqual(['six']);
    expect(onGap).not.toHaveBeenCalled();
  });

  it('is read from its oldest file at first', async () => {
    await writeFile(`${path}.20261121-010000`, 'one\n');
    await writeFile(path, 'two\n');
    expect(await readOn()).toEqual(['one', 'two']);
  });

  it('whose last read file is gone is read again from the oldest that is left, and says so', async () => {
    await writeFile(path, 'one\n');
    await readOn();
    await rm(path);
    await writeFile(`${path}.20261121-010000`, 'two\n');
    await writeFile(path, 'three\n');
    expect(await readOn()).toEqual(['two', 'three']);
    expect(onGap).toHaveBeenCalledOnce();
  });

  it('is read in pieces, each with its place, and no line is cut', async () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'é'.repeat(index % 50)}`);
    await writeFile(path, `${lines.join('\n')}\n`);
    const log = await openLog(path);
    onTestFinished(log.close);
    const pieces: string[][] = [];
    const places: number[] = [];
    for await (const chunk of log.read(null, onGap)) {
      pieces.push(chunk.lines);
      places.push(chunk.position.offset);
    }
    expect(pieces.flat()).toEqual(lines);
    expect(pieces.length).toBeGreaterThan(2);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('that grows while it is read is read up to where it ended when it was opened', async () => {
    await writeFile(path, 'one\n');
    const log = await openLog(path);
    onTestFinished(log.close);
    await appendFile(path, 'two\n');
    const lines: string[] = [];
    for await (const chunk of log.read(null, onGap)) lines.push(...chunk.lines);
    expect(lines).toEqual(['one']);
  });

  it('with zeros and endless lines, as after a crash of the host, is read past them', async () => {
    await writeFile(path, `one\n\0\0\0two\n${'x'.repeat(200_000)}\nthree\n`);
    const lines = await readOn();
    expect(lines.slice(0, 2)).toEqual(['one', 'two']);
    expect(lines.at(-1)).toBe('three');
  });
});
