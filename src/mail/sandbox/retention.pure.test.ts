import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { deleteOldMessages } from './retention';

const NOW = new Date('2026-11-21T12:00:00Z');
const HOUR_MS = 60 * 60_000;
const LIMITS = { maxAgeMs: 24 * HOUR_MS, maxBytes: 1_000_000 };
let dir: string;
let inbound: string;

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  inbound = path.join(dir, 'inbound');
  await mkdir(inbound);
  return () => rm(dir, { recursive: true });
});

async function store(folder: string, name: string, hoursAgo: number, bytes = 1_000) {
  const file = path.join(folder, name);
  await writeFile(file, Buffer.alloc(bytes));
  const at = new Date(NOW.getTime() - hoursAgo * HOUR_MS);
  await utimes(file, at, at);
}

async function storeMessage(folder: string, queueId: string, hoursAgo: number, bytes?: number) {
  await store(folder, `${queueId}.eml`, hoursAgo, bytes);
  await store(folder, `${queueId}.json`, hoursAgo, 100);
}

const left = async (folder: string) => (await readdir(folder)).filter((name) => name !== 'inbound').toSorted();

it('messages older than the limit are deleted with their envelopes, in both folders', async () => {
  for (const folder of [dir, inbound]) {
    await storeMessage(folder, 'old', 25);
    await storeMessage(folder, 'young', 23);
  }
  await deleteOldMessages([dir, inbound], LIMITS, NOW);
  for (const folder of [dir, inbound]) expect(await left(folder)).toEqual(['young.eml', 'young.json']);
});

it('the oldest messages are deleted until the rest fits, whatever folder they are in', async () => {
  await storeMessage(dir, 'first', 4, 400_000);
  await storeMessage(inbound, 'second', 3, 400_000);
  await storeMessage(dir, 'third', 2, 400_000);
  await storeMessage(inbound, 'fourth', 1, 400_000);
  await deleteOldMessages([dir, inbound], LIMITS, NOW);
  expect(await left(dir)).toEqual(['third.eml', 'third.json']);
  expect(await left(inbound)).toEqual(['fourth.eml', 'fourth.json']);
});

it('messages that are being written, were just stored or have a report due stay', async () => {
  await store(dir, 'writing.eml.part', 30, 2_000_000);
  await storeMessage(dir, 'due', 30, 2_000_000);
  await store(dir, 'due.due', 30, 0);
  await storeMessage(dir, 'new', 0, 2_000_000);
  await storeMessage(dir, 'old', 2);
  await deleteOldMessages([dir], LIMITS, NOW);
  expect(await left(dir)).toEqual(['due.due', 'due.eml', 'due.json', 'new.eml', 'new.json', 'writing.eml.part']);
});
