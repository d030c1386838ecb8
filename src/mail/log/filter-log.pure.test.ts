import { appendFile, copyFile, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFilterLog } from './filter-log';

let path: string;

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-filter-log-'));
  path = join(folder, 'rspamd.log');
  return () => rm(folder, { recursive: true });
});

const at = (number: number) => `4jWXkm65ptzK${String(number).padStart(3, '0')}`;

/** Rspamd's log line about a message. */
function line(number: number, { action = 'reject', id = `n${number}@far.example` } = {}): string {
  const verdict = `(default: S (${action}): [15.00/15.00] [GTUBE(0.00){}])`;
  return (
    `2026-11-21 00:14:24 #25522(rspamd_proxy) <7781b6>; proxy; rspamd_task_write_log: id: <${id}>, qid: <${at(number)}>, ` +
    `ip: 203.0.113.7, from: <x@far.example>, ${verdict}, len: 278, time: 0.323ms, dns req: 0, ` +
    `digest: <412950>, rcpts: <ann@d.example,bo@d.example>, mime_rcpts: <z@z.test>, forced: reject "Gtube pattern"\n`
  );
}

const logOf = (...numbers: number[]) => numbers.map((number) => line(number)).join('');

/** Rotates like logrotate with `copytruncate`. */
async function rotate(): Promise<void> {
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

const VERDICT = { action: 'reject', score: 15, recipients: ['ann@d.example', 'bo@d.example'] };

describe('the filter log', () => {
  it('has the verdicts on rejected messages only', async () => {
    await writeFile(path, `${line(1)}some other line\n${line(2, { action: 'add header' })}`);
    const { findVerdict } = createFilterLog(path);
    expect(await findVerdict(at(1))).toEqual(VERDICT);
    expect([await findVerdict(at(2)), await findVerdict(at(3))]).toEqual([null, null]);
  });

  it('reads each part of the file once, even for concurrent callers', async () => {
    await writeFile(path, logOf(1, 2, 3));
    const { findVerdict } = createFilterLog(path);
    await Promise.all([1, 2, 3, 9].map((number) => findVerdict(at(number))));
    const file = await open(path, 'r+');
    await file.write(line(7), line(1).length);
    await file.close();
    await appendFile(path, logOf(4));
    expect(await findVerdict(at(4))).toEqual(VERDICT);
    expect(await findVerdict(at(2))).toEqual(VERDICT);
    expect(await findVerdict(at(7))).toBeNull();
  });

  it('reads a half-written last line once it is complete', async () => {
    const text = line(2);
    await writeFile(path, line(1) + text.slice(0, 250));
    const { findVerdict } = createFilterLog(path);
    expect(await findVerdict(at(2))).toBeNull();
    await appendFile(path, text.slice(250));
    expect(await findVerdict(at(2))).toEqual(VERDICT);
  });

  it('reads the rest of a rotated file, and then the new one', async () => {
    await writeFile(path, logOf(1));
    const { findVerdict } = createFilterLog(path);
    await findVerdict(at(1));
    await appendFile(path, logOf(2));
    await rotate();
    expect(await findVerdict(at(2))).toEqual(VERDICT);
    await appendFile(path, logOf(3));
    expect(await findVerdict(at(3))).toEqual(VERDICT);
  });

  it('reads a rotated log from the start, even if it has already grown longer than the old one', async () => {
    await writeFile(path, logOf(1));
    const { findVerdict } = createFilterLog(path);
    await findVerdict(at(1));
    await appendFile(path, logOf(2));
    await rotate();
    await appendFile(path, logOf(3, 4, 5, 6));
    for (const number of [2, 3, 6]) expect(await findVerdict(at(number))).toEqual(VERDICT);
  });

  it('after an agent restart, reads the last rotated file and the current one', async () => {
    await writeFile(path, logOf(1, 2));
    await rotate();
    await appendFile(path, logOf(3));
    const { findVerdict } = createFilterLog(path);
    for (const number of [3, 2, 1]) expect(await findVerdict(at(number))).toEqual(VERDICT);
  });

  it('remembers only the last part of the log', async () => {
    const windowBytes = 3.5 * line(1).length;
    await writeFile(path, logOf(1, 2, 3, 4, 5));
    const { findVerdict } = createFilterLog(path, windowBytes);
    expect(await findVerdict(at(2))).toBeNull();
    expect(await findVerdict(at(3))).toEqual(VERDICT);
    await appendFile(path, logOf(6, 7));
    expect(await findVerdict(at(7))).toEqual(VERDICT);
    expect([await findVerdict(at(3)), await findVerdict(at(5))]).toEqual([null, VERDICT]);
  });

  it('fails while the file is missing, and works once it exists', async () => {
    const { findVerdict } = createFilterLog(path);
    await expect(findVerdict(at(1))).rejects.toThrow('ENOENT');
    await writeFile(path, logOf(1));
    expect(await findVerdict(at(1))).toEqual(VERDICT);
  });
});
