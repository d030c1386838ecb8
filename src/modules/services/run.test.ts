import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { Outcome, Perform } from '@/mail/agent/operations/operation';
import { recordHeartbeat } from '@/modules/mail-server/requests';
import { systemClock } from '@/server/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { MAX_LINE_LENGTH, MAX_LINES } from './output';
import { createOperationRunner } from './run';

const HOST = 'mail.example.test';
const api = await keyClient();
const DONE: Outcome = { state: 'succeeded', message: 'Reloaded Postfix.' };

beforeEach(async () => {
  await db.operation.deleteMany();
  await recordHeartbeat(db, { host: HOST, instance: uuidv7(), version: '0.1.0' });
});

async function start(): Promise<string> {
  return (await api.post('/orchestrator/operations', { action: 'reload' })).data.id;
}

const read = async (id: string, after = 0) => (await api.get(`/orchestrator/operations/${id}?after=${after}`)).data;

function runnerOf(perform: Perform, onFinished: (outcome: Outcome) => void = () => {}) {
  return createOperationRunner({ db, clock: systemClock, host: HOST, lane: 'services', perform }, onFinished);
}

describe('a running operation', () => {
  it('shows its output while it runs, and the lines after the last one that was read', async () => {
    const id = await start();
    let finish: (outcome: Outcome) => void = () => {};
    const runner = runnerOf((_, { report }) => {
      report('step', 'Reloading Postfix');
      report('output', 'postfix/postfix-script: refreshing\u0007 the Postfix mail system');
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    const running = runner.runPending();
    await expect.poll(async () => (await read(id)).output.length).toBe(2);
    expect(await read(id, 1)).toMatchObject({
      state: 'running',
      finished_at: null,
      output: [{ number: 2, kind: 'output', text: 'postfix/postfix-script: refreshing\ufffd the Postfix mail system' }],
    });
    finish(DONE);
    await running;
    expect(await read(id, 2)).toMatchObject({ ...DONE, output: [] });
  });

  it('has bounded output, in which the last steps and errors are still there', async () => {
    const id = await start();
    const runner = runnerOf(async (_, { report }) => {
      for (let line = 0; line < 3 * MAX_LINES; line++) report('output', 'x'.repeat(100));
      report('step', 'y'.repeat(5_000));
      return { state: 'rolled_back', message: 'Dovecot didn’t respond.' };
    });
    await runner.runPending();
    const { output, state } = await read(id);
    expect(state).toBe('rolled_back');
    expect(output).toHaveLength(MAX_LINES + 3);
    expect(output.at(-3).text).toBe('The rest of the output is left out.');
    expect(output.at(-2).text).toHaveLength(MAX_LINE_LENGTH + 1);
    expect(output.at(-1)).toMatchObject({ kind: 'error', text: 'Dovecot didn’t respond.' });
  });

  it('that fails unexpectedly ends as failed, without internals', async () => {
    const id = await start();
    await runnerOf(() => Promise.reject(new Error('EACCES: /etc/shadow'))).runPending();
    const operation = await read(id);
    expect(operation.state).toBe('failed');
    expect(JSON.stringify(operation)).not.toContain('shadow');
  });

  it('that goes on after its lease has ended stays interrupted, and its output says how it ended', async () => {
    const id = await start();
    await runnerOf(async () => {
      await db.$executeRaw`UPDATE operation SET leased_until = now() - interval '1 second'`;
      await api.post('/orchestrator/operations', { action: 'rebuild_maps' });
      return DONE;
    }).runPending();
    const { state, output } = await read(id);
    expect(state).toBe('interrupted');
    expect(output.at(-1).text).toContain('ended it as succeeded: Reloaded Postfix.');
  });

  it('learns that the agent stops, and no other one is started then', async () => {
    const id = await start();
    const runner = runnerOf(async (_, { signal }) => {
      void runner.stop();
      return signal.aborted ? { state: 'interrupted', message: 'The mail agent was stopped.' } : DONE;
    });
    await runner.runPending();
    expect(await read(id)).toMatchObject({ state: 'interrupted' });
    const next = await start();
    await runner.runPending();
    expect(await read(next)).toMatchObject({ state: 'queued' });
  });

  it('is run with what was asked for, and its end is announced', async () => {
    await api.post('/orchestrator/operations', { action: 'restart', service: 'rspamd', dry_run: true });
    const asked: unknown[] = [];
    const ended: Outcome[] = [];
    const perform: Perform = async (operation) => {
      asked.push(operation);
      return { ...DONE, isAgentOutdated: true };
    };
    await runnerOf(perform, (outcome) => void ended.push(outcome)).runPending();
    expect(asked).toMatchObject([{ action: 'restart', service: 'rspamd', dryRun: true }]);
    expect(ended).toMatchObject([{ state: 'succeeded', isAgentOutdated: true }]);
  });
});
