import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeliveryReport, OnReport } from '../delivery-report';
import type { InboundPort } from '../inbound/port';
import { createSmtpSubmitter } from '../submission/submit';
import { type SandboxMta, startSandboxMta } from './start';

const unmanaged: InboundPort = {
  resolve: async () => ({ isAccepted: false, reason: 'not_managed' }),
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

it('reports a simulated reply for each recipient, with queue id and Message-ID', async () => {
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report));
  const queueId = await submit(mta, ['a@far.example', 'b@bounce.test', 'c@eu.bounce.test', 'd@defer.test']);
  await expect.poll(() => reports.length).toBe(4);
  const common = { queueId, messageId: '<1@post.example>', at: expect.any(Date), response: expect.any(String) };
  expect(reports).toEqual([
    { ...common, ...reply('delivered', null, 250, '2.0.0'), recipient: 'a@far.example', remoteMta: 'mx.far.example' },
    {
      ...common,
      ...reply('bounced', 'remote_reply', 550, '5.1.1'),
      recipient: 'b@bounce.test',
      remoteMta: 'mx.bounce.test',
    },
    {
      ...common,
      ...reply('bounced', 'remote_reply', 550, '5.1.1'),
      recipient: 'c@eu.bounce.test',
      remoteMta: 'mx.eu.bounce.test',
    },
    {
      ...common,
      ...reply('deferred', 'remote_reply', 451, '4.4.1'),
      recipient: 'd@defer.test',
      remoteMta: 'mx.defer.test',
    },
  ]);
});

it('a deferred recipient fails at the end of the queue lifetime, and other recipients aren’t reported again', async () => {
  const reports: DeliveryReport[] = [];
  let dueWithReplies: string[] = [];
  const onReport = async (report: DeliveryReport) => {
    if (reports.push(report) === 3) dueWithReplies = await due();
  };
  const mta = await sandbox(onReport, { queueLifetimeMs: 1500 });
  const queueId = await submit(mta, ['a@far.example', 'd@defer.test', 'e@eu.defer.test']);
  await expect.poll(due).toEqual([]);
  expect(dueWithReplies).toEqual([`${queueId}.due`]);
  expect(reports.slice(3)).toEqual(
    ['d@defer.test', 'e@eu.defer.test'].map((recipient) => ({
      ...reply('failed', 'expired', null, '4.4.7'),
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
])('a deferred recipient fails across a restart %s the end of the queue lifetime', async (_case, queueLifetimeMs) => {
  const first = await sandbox(async () => {}, { queueLifetimeMs: 60_000 });
  const queueId = await submit(first, ['d@defer.test', 'a@far.example']);
  await new Promise((resolve) => setTimeout(resolve, 700));
  await first.close();
  expect(await due()).toEqual([`${queueId}.due`]);
  const reports: DeliveryReport[] = [];
  await sandbox(async (report) => reports.push(report), { queueLifetimeMs });
  await expect.poll(due).toEqual([]);
  const outcomes = reports.map(({ recipient, kind, cause }) => [recipient, kind, cause]);
  expect(outcomes).toEqual([
    ['d@defer.test', 'deferred', 'remote_reply'],
    ['a@far.example', 'delivered', null],
    ['d@defer.test', 'failed', 'expired'],
  ]);
});

it('repeats a rejected failure report unchanged until it is accepted', async () => {
  const tries: DeliveryReport[] = [];
  const onReport = async (report: DeliveryReport) => {
    if (report.kind === 'failed' && tries.push(report) < 2) throw new Error('The database is down.');
  };
  const mta = await sandbox(onReport, { queueLifetimeMs: 300 });
  await submit(mta, ['d@defer.test']);
  await expect.poll(() => tries.length).toBe(2);
  await expect.poll(due).toEqual([]);
  expect(tries[1]).toEqual(tries[0]);
});

it('delivers to domains that only look like the simulated ones', async () => {
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report));
  await submit(mta, ['a@notbounce.test', 'b@bounce.test.example']);
  await expect.poll(() => reports.map(({ kind }) => kind)).toEqual(['delivered', 'delivered']);
});

it('repeats a rejected report unchanged until it is accepted, and keeps it due until then', async () => {
  const tries: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => {
    tries.push(report);
    if (tries.length < 3) throw new Error('The database is down.');
  });
  const queueId = await submit(mta, ['a@far.example']);
  await expect.poll(() => tries.length).toBe(1);
  expect(await due()).toEqual([`${queueId}.due`]);
  await expect.poll(() => tries.length).toBe(3);
  await expect.poll(due).toEqual([]);
  expect(tries).toEqual([tries[0], tries[0], tries[0]]);
});

it('a report that always fails doesn’t delay others', async () => {
  const accepted = new Set<string>();
  const mta = await sandbox(async ({ recipient }) => {
    if (recipient.startsWith('poison')) throw new Error('never');
    accepted.add(recipient);
  });
  for (let index = 0; index < 10; index += 1) await submit(mta, [`poison${index}@far.example`]);
  await submit(mta, ['fine@far.example']);
  await expect.poll(() => accepted.has('fine@far.example')).toBe(true);
});

it('a new process reports what the last one on the folder left unreported, once each', async () => {
  const first = await sandbox(() => new Promise(() => {}));
  const ids = [await submit(first, ['a@far.example']), await submit(first, ['b@far.example'])];
  const reports: DeliveryReport[] = [];
  await sandbox(async (report) => reports.push(report));
  await expect.poll(() => reports.map(({ queueId }) => queueId).sort()).toEqual(ids);
  await expect.poll(due).toEqual([]);
  await sandbox(async (report) => reports.push(report));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(reports).toHaveLength(2);
});

it('doesn’t report a message that was only partly stored', async () => {
  await writeFile(path.join(dir, 'half.due'), '');
  await writeFile(path.join(dir, 'half.json'), JSON.stringify({ queueId: 'half', rcptTo: ['a@far.example'] }));
  const reports: DeliveryReport[] = [];
  const mta = await sandbox(async (report) => reports.push(report));
  await submit(mta, ['b@far.example']);
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.recipient).toBe('b@far.example');
});

function reply(kind: string, cause: DeliveryReport['cause'], smtpCode: number | null, enhancedCode: string) {
  return { kind, cause, smtpCode, enhancedCode };
}

async function sandbox(onReport: OnReport, over: { queueLifetimeMs?: number } = {}): Promise<SandboxMta> {
  const options = { dir, maxMessageBytes: 1024 * 1024, minFreeBytes: 0, onReport, ...unmanaged, ...over };
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
