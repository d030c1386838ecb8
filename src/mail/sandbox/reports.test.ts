import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeliveryReport, OnReport } from '../delivery-report';
import type { InboundPort } from '../inbound';
import { createSmtpSubmitter } from '../submit';
import { type SandboxMta, startSandboxMta } from './start';

const elsewhere: InboundPort = {
  resolve: async () => ({ verdict: 'refused', reason: 'not_managed' }),
  receive: async () => {},
};

let dir: string;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await rm(dir, { recursive: true, force: true });
});

it('each recipient is reported as the other side would have answered, by queue id and Message-ID', async () => {
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report));
  const queueId = await submit(mta, ['a@far.example', 'b@bounce.test', 'c@eu.bounce.test', 'd@defer.test']);
  await expect.poll(() => reports.length).toBe(4);
  const common = { queueId, messageId: '<1@post.example>', at: expect.any(Date), response: expect.any(String) };
  expect(reports).toEqual([
    { ...common, ...answer('delivered', 250, '2.0.0'), recipient: 'a@far.example', remoteMta: 'mx.far.example' },
    { ...common, ...answer('bounced', 550, '5.1.1'), recipient: 'b@bounce.test', remoteMta: 'mx.bounce.test' },
    { ...common, ...answer('bounced', 550, '5.1.1'), recipient: 'c@eu.bounce.test', remoteMta: 'mx.eu.bounce.test' },
    { ...common, ...answer('deferred', 451, '4.4.1'), recipient: 'd@defer.test', remoteMta: 'mx.defer.test' },
  ]);
});

it('a deferred recipient fails at the end of the queue lifetime, and nobody else is told of again', async () => {
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report), { queueLifetimeMs: 1500 });
  const queueId = await submit(mta, ['a@far.example', 'd@defer.test', 'e@eu.defer.test']);
  await expect.poll(() => reports.length).toBe(3);
  expect(await due()).toEqual([`${queueId}.due`]);
  await expect.poll(due, { timeout: 10_000 }).toEqual([]);
  expect(reports.slice(3)).toEqual(
    ['d@defer.test', 'e@eu.defer.test'].map((recipient) => ({
      ...answer('failed', null, '4.4.7'),
      queueId,
      messageId: '<1@post.example>',
      recipient,
      response: `4.4.7 <${recipient}>: delivery time expired`,
      remoteMta: null,
      at: new Date((reports[0]?.at.getTime() ?? 0) - 150 + 1500),
    })),
  );
});

it.each([
  ['before', 3000],
  ['after', 500],
])('a deferred recipient fails through a restart that comes %s its end', async (_case, queueLifetimeMs) => {
  const first = await sandbox(async () => {}, { queueLifetimeMs: 60_000 });
  const queueId = await submit(first, ['d@defer.test', 'a@far.example']);
  await new Promise((resolve) => setTimeout(resolve, 700));
  await first.close();
  expect(await due()).toEqual([`${queueId}.due`]);
  const reports: DeliveryReport[] = [];
  await sandbox(async (report) => reports.push(report), { queueLifetimeMs });
  await expect.poll(due, { timeout: 10_000 }).toEqual([]);
  const told = reports.map(({ recipient, kind }) => [recipient, kind]);
  expect(told).toEqual([
    ['d@defer.test', 'deferred'],
    ['a@far.example', 'delivered'],
    ['d@defer.test', 'failed'],
  ]);
});

it('a report of failure that fails is repeated word for word until it is taken', async () => {
  const tries: DeliveryReport[] = [];
  const onReport = async (report: DeliveryReport) => {
    if (report.kind === 'failed' && tries.push(report) < 2) throw new Error('The database is away.');
  };
  const mta = await sandbox(onReport, { queueLifetimeMs: 300 });
  await submit(mta, ['d@defer.test']);
  await expect.poll(() => tries.length, { timeout: 10_000 }).toBe(2);
  await expect.poll(due).toEqual([]);
  expect(tries[1]).toEqual(tries[0]);
});

it('a domain that only looks like one of theirs is delivered to', async () => {
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report));
  await submit(mta, ['a@notbounce.test', 'b@bounce.test.example']);
  await expect.poll(() => reports.map(({ kind }) => kind)).toEqual(['delivered', 'delivered']);
});

it('a report that fails is repeated word for word until it is taken, and stays due meanwhile', async () => {
  const tries: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => {
    tries.push(report);
    if (tries.length < 3) throw new Error('The database is away.');
  });
  const queueId = await submit(mta, ['a@far.example']);
  await expect.poll(() => tries.length, { timeout: 3000 }).toBe(1);
  expect(await due()).toEqual([`${queueId}.due`]);
  await expect.poll(() => tries.length, { timeout: 10_000 }).toBe(3);
  await expect.poll(due).toEqual([]);
  expect(tries).toEqual([tries[0], tries[0], tries[0]]);
}, 15_000);

it('one report that always fails holds up no other', async () => {
  const taken = new Set<string>();
  const mta = await sandbox(async ({ recipient }) => {
    if (recipient.startsWith('poison')) throw new Error('never');
    taken.add(recipient);
  });
  for (let index = 0; index < 10; index += 1) await submit(mta, [`poison${index}@far.example`]);
  await submit(mta, ['fine@far.example']);
  await expect.poll(() => taken.has('fine@far.example')).toBe(true);
});

it('what a process left unreported is reported by the next one on the folder, once each', async () => {
  const first = await sandbox(() => new Promise(() => {}));
  const ids = [await submit(first, ['a@far.example']), await submit(first, ['b@far.example'])];
  const reports: DeliveryReport[] = [];
  await sandbox(async (report) => reports.push(report));
  await expect.poll(() => reports.map(({ queueId }) => queueId)).toEqual(ids);
  await expect.poll(due).toEqual([]);
  await sandbox(async (report) => reports.push(report));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(reports).toHaveLength(2);
}, 15_000);

it('a message that was never wholly kept is not reported', async () => {
  await writeFile(path.join(dir, 'half.due'), '');
  await writeFile(path.join(dir, 'half.json'), JSON.stringify({ queueId: 'half', rcptTo: ['a@far.example'] }));
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report));
  await submit(mta, ['b@far.example']);
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.recipient).toBe('b@far.example');
});

function answer(kind: string, smtpCode: number | null, enhancedCode: string) {
  return { kind, smtpCode, enhancedCode };
}

async function sandbox(onReport: OnReport, over: { queueLifetimeMs?: number } = {}): Promise<SandboxMta> {
  const options = { dir, maxMessageBytes: 1024 * 1024, minFreeBytes: 0, onReport, ...elsewhere, ...over };
  const mta = await startSandboxMta(options);
  cleanups.push(mta.close);
  return mta;
}

async function submit({ smtpUrl }: SandboxMta, to: string[]): Promise<string> {
  const submitter = createSmtpSubmitter(smtpUrl);
  const raw = Buffer.from('Subject: hi\r\nMessage-ID:\r\n <1@post.example>\r\n\r\nMessage-ID: <2@post.example>\r\n');
  const outcome = await submitter.submit({ envelope: { from: 'ann@post.example', to }, raw });
  await submitter.close();
  if (outcome.outcome !== 'accepted' || !outcome.queueId) throw new Error(JSON.stringify(outcome));
  return outcome.queueId;
}

async function due(): Promise<string[]> {
  return (await readdir(dir)).filter((name) => name.endsWith('.due'));
}
