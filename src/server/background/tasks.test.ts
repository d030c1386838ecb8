import { setImmediate as pause } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkTasks } from '@/modules/system/health/scheduled-tasks';
import { db } from '@/test/database';
import { runTask, taskContext } from '@/test/tasks';
import { systemClock } from '../clock';
import { thisNode } from '../cluster/this-node';
import { startTasks } from './start-tasks';
import type { SharedTask, Task } from './task';
import { claimTurn, registerTasks, requestTurn, runTurn, turnOf } from './turns';

const HOUR = 3600;
const NAME = 'a task';

beforeEach(async () => {
  await db.scheduledTask.deleteMany();
});

const taskOf = (over: Partial<SharedTask> = {}): SharedTask => ({
  name: NAME,
  on: 'one instance',
  everySeconds: HOUR,
  run: async () => {},
  ...over,
});
const stored = (name = NAME) => db.scheduledTask.findUniqueOrThrow({ where: { name } });
const later = (seconds: number) =>
  db.$executeRaw`UPDATE scheduled_task SET due_at = due_at - make_interval(secs => ${seconds})`;
const secondsUntilDue = async (name = NAME) => ((await stored(name)).dueAt.getTime() - Date.now()) / 1000;

/** A task whose runs end when released. */
function slowTask(over: Partial<SharedTask> = {}) {
  const runs: { end: () => void; signal: AbortSignal }[] = [];
  const run: SharedTask['run'] = ({ signal }) => new Promise<void>((end) => runs.push({ end, signal }));
  return { runs, task: taskOf({ ...over, run }) };
}

/** Starts what an instance of the app starts. */
function startInstance(tasks: Task[]) {
  const running = startTasks(tasks, { db, clock: systemClock });
  onTestFinished(() => running.end());
  return running;
}

async function claimed(task: SharedTask) {
  await registerTasks(db, [task]);
  const claim = await claimTurn(db, [task]);
  if (!claim) throw new Error('nothing was due');
  return claim;
}

describe('a task of one instance', () => {
  it('is run by one of several instances, and again after its interval', async () => {
    let runs = 0;
    const task = taskOf({ run: async () => runs++ });
    const all = () => Promise.all(Array.from({ length: 5 }, () => runTask(db, task, { ifDue: true })));
    await registerTasks(db, [task]);
    expect((await all()).filter(Boolean)).toHaveLength(1);
    expect(await all()).not.toContain(true);
    await later(HOUR - 10);
    expect(await all()).not.toContain(true);
    await later(11);
    expect((await all()).filter(Boolean)).toHaveLength(1);
    expect(runs).toBe(2);
  });

  it('is not claimed by a transaction that began before another instance claimed it', async () => {
    const task = taskOf({ everySeconds: 5 });
    await registerTasks(db, [task]);
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT now()`;
      await claimed(task);
      expect(await claimTurn(tx, [task])).toBeNull();
    });
  });

  it('is claimed alone, however many are due', async () => {
    const tasks = Array.from({ length: 20 }, (_, n) => taskOf({ name: `task ${n}` }));
    await registerTasks(db, tasks);
    for (let count = 1; count <= tasks.length; count++) {
      expect(await claimTurn(db, tasks)).not.toBeNull();
      expect(await db.scheduledTask.count({ where: { leaseToken: { not: null } } })).toBe(count);
    }
    expect(await claimTurn(db, tasks)).toBeNull();
  });

  it('is recorded with its duration and the time of the next run', async () => {
    await runTask(db, taskOf());
    const { startedAt, finishedAt, durationMs, failure, leaseToken } = await stored();
    expect({ failure, leaseToken }).toEqual({ failure: '', leaseToken: null });
    expect(durationMs).toBe((finishedAt?.getTime() ?? 0) - (startedAt?.getTime() ?? 0));
    expect(await secondsUntilDue()).toBeGreaterThan(HOUR - 60);
  });

  it('runs at the same rate on average, whenever instances look for it', async () => {
    await runTask(db, taskOf());
    await later(HOUR + 600);
    await runTask(db, taskOf(), { ifDue: true });
    expect(await secondsUntilDue()).toBeLessThan(HOUR - 590);
  });

  it('that was due many times while nothing ran is made up for once', async () => {
    await runTask(db, taskOf());
    await later(100 * HOUR);
    await runTask(db, taskOf(), { ifDue: true });
    expect(await runTask(db, taskOf(), { ifDue: true })).toBe(false);
  });

  it('that takes longer than its interval never runs twice at once, and again right after its end', async () => {
    const { task, runs } = slowTask({ everySeconds: 5 });
    const run = claimed(task).then((claim) => runTurn(claim, taskContext(db)));
    await expect.poll(() => runs.length).toBe(1);
    // Renewed in time, the lease doesn't end with the interval.
    await later(10);
    expect(await runTask(db, task, { ifDue: true })).toBe(false);
    runs[0]?.end();
    await run;
    await later(5);
    expect(await claimTurn(db, [task])).not.toBeNull();
  });

  it('whose holder was killed is taken over once the lease has ended, and nothing that the late holder writes counts', async () => {
    const { task, runs } = slowTask();
    const late = await claimed(task);
    const ended = runTurn(late, taskContext(db));
    await expect.poll(() => runs.length).toBe(1);
    expect(await claimTurn(db, [task])).toBeNull();
    await later(31);
    const next = await claimTurn(db, [task]);
    expect(next).not.toBeNull();
    expect(await turnOf(late).renew(db)).toBe(false);
    runs[0]?.end();
    await ended;
    expect(await stored()).toMatchObject({ leaseToken: next?.token, finishedAt: null });
  });

  it('hears that it has lost its lease', async () => {
    const { task, runs } = slowTask();
    const claim = await claimed(task);
    const ended = runTurn(claim, taskContext(db));
    await expect.poll(() => runs.length).toBe(1);
    await db.$transaction((tx) => requestTurn(tx, NAME));
    await expect.poll(() => runs[0]?.signal.aborted).toBe(true);
    runs[0]?.end();
    await ended;
  });

  it('is not taken over during a transaction that has renewed the lease, and nobody waits for that', async () => {
    const task = taskOf();
    const claim = await claimed(task);
    await later(31);
    await db.$transaction(async (tx) => {
      expect(await turnOf(claim).renew(tx)).toBe(true);
      expect(await claimTurn(db, [task])).toBeNull();
    });
    expect(await claimTurn(db, [task])).toBeNull();
  });

  it('is not stuck after the clock of the database was ahead', async () => {
    const task = taskOf();
    await runTask(db, task);
    await later(-400 * 24 * HOUR);
    const claim = await claimTurn(db, [task]);
    expect(claim?.nextAt.getTime()).toBeLessThan(Date.now() + (HOUR + 60) * 1000);
    await later(-400 * 24 * HOUR);
    expect(await claimTurn(db, [task])).not.toBeNull();
  });

  it('is due by the clock of the database, whatever the clock of the instance says', async () => {
    const clock = { now: () => new Date('2001-01-01T00:00:00Z') };
    await runTask(db, taskOf(), { clock });
    expect(await runTask(db, taskOf(), { clock, ifDue: true })).toBe(false);
    expect(await secondsUntilDue()).toBeGreaterThan(HOUR - 60);
  });

  it('that fails is repeated within a minute, and says why and since when, until it succeeds', async () => {
    let reason: string | null = 'first line\nThe disk is full.';
    const task = taskOf({
      run: async () => {
        if (reason) throw new Error(reason);
      },
    });
    await expect(runTask(db, task)).rejects.toThrow();
    const { failingSince } = await stored();
    expect(await stored()).toMatchObject({ failure: 'The disk is full.', failingSince: expect.any(Date) });
    expect(await secondsUntilDue()).toBeLessThanOrEqual(60);
    reason = 'It is still full.';
    await later(60);
    await expect(runTask(db, task, { ifDue: true })).rejects.toThrow();
    expect(await stored()).toMatchObject({ failure: 'It is still full.', failingSince });
    reason = null;
    await later(60);
    await runTask(db, task, { ifDue: true });
    expect(await stored()).toMatchObject({ failure: '', failingSince: null });
    expect(await secondsUntilDue()).toBeGreaterThan(HOUR - 200);
  });

  it('that is cut off is due again at once', async () => {
    const stopping = new AbortController();
    await runTask(db, taskOf({ run: async () => stopping.abort() }), { signal: stopping.signal });
    expect(await stored()).toMatchObject({ leaseToken: null, finishedAt: null, failure: '' });
    expect(await runTask(db, taskOf(), { ifDue: true })).toBe(true);
  });

  it('that hangs is overdue after six hours, although it renews its lease', async () => {
    const claim = await claimed(taskOf());
    const began = (hours: number) =>
      db.scheduledTask.updateMany({ data: { startedAt: new Date(Date.now() - hours * HOUR * 1000) } });
    await began(6.2);
    await turnOf(claim).renew(db);
    expect(await checkTasks(db)).toMatchObject([{ status: 'ok', message: `${NAME}: it has been running for 6 hours` }]);
    await began(30.5);
    const message = `${NAME}: it has been running for 30 hours`;
    expect(await checkTasks(db)).toMatchObject([{ status: 'degraded', message }]);
    await requestTurn(db, NAME);
    expect(await checkTasks(db)).toMatchObject([{ status: 'ok', message: '' }]);
  });

  it('of another version is forgotten once no instance runs it, before it counts as late', async () => {
    await registerTasks(db, [taskOf({ name: 'a former task' })]);
    await later(9 * 60);
    await registerTasks(db, [taskOf()]);
    expect(await db.scheduledTask.count()).toBe(2);
    await later(2 * 60);
    expect(await checkTasks(db)).toMatchObject([{ status: 'ok' }]);
    await registerTasks(db, [taskOf()]);
    expect(await db.scheduledTask.findMany({ select: { name: true } })).toEqual([{ name: NAME }]);
  });
});

describe('an instance', () => {
  it('runs its tasks at once, those of one instance together with another instance', async () => {
    const runs: string[] = [];
    const note = (name: string) => async () => void runs.push(name);
    const tasks: Task[] = [
      taskOf({ name: 'shared', run: note('shared') }),
      { name: 'own', on: 'every instance', everySeconds: HOUR, run: note('own') },
    ];
    startInstance(tasks);
    startInstance(tasks);
    await expect.poll(() => runs.toSorted()).toEqual(['own', 'own', 'shared']);
  });

  it('runs two at once of the tasks that can wait, and others beside them', async () => {
    const patient = ['a', 'b', 'c'].map((name) => slowTask({ name, canWait: true }));
    const urgent = slowTask({ name: 'd' });
    startInstance([...patient, urgent].map(({ task }) => task));
    const running = () => patient.filter(({ runs }) => runs.length > 0);
    await expect.poll(() => running().length + urgent.runs.length).toBe(3);
    expect(running()).toHaveLength(2);
    for (const { runs } of running()) runs[0]?.end();
    await expect.poll(() => running().length).toBe(3);
    for (const { runs } of [...patient, urgent]) runs[0]?.end();
  });

  it('that is draining starts no task, and ends those of one instance, except what it does until the end', async () => {
    const shared = slowTask();
    let beats = 0;
    const lasting: Task = {
      name: 'lasting',
      on: 'every instance',
      everySeconds: 0.05,
      runsWhileDraining: true,
      run: async () => beats++,
    };
    startInstance([shared.task, lasting]);
    await expect.poll(() => shared.runs.length).toBe(1);
    onTestFinished(() => {
      thisNode().isDraining = false;
    });
    thisNode().isDraining = true;
    await expect.poll(() => shared.runs[0]?.signal.aborted).toBe(true);
    shared.runs[0]?.end();
    await expect.poll(async () => (await stored()).leaseToken).toBeNull();
    const before = beats;
    await expect.poll(() => beats).toBeGreaterThan(before);
    expect(shared.runs).toHaveLength(1);
  });

  it('that stops waits for the tasks that are awaited, and asks all to end', async () => {
    const awaited = slowTask({ name: 'awaited', isAwaited: true });
    const other = slowTask({ name: 'other' });
    const running = startInstance([awaited.task, other.task]);
    await expect.poll(() => awaited.runs.length + other.runs.length).toBe(2);
    let hasEnded = false;
    const end = running.end().then(() => {
      hasEnded = true;
    });
    await expect.poll(() => other.runs[0]?.signal.aborted).toBe(true);
    await pause();
    expect(hasEnded).toBe(false);
    awaited.runs[0]?.end();
    await end;
    other.runs[0]?.end();
    expect((await stored('awaited')).leaseToken).toBeNull();
  });

  it('keeps running tasks after failures', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      throw new Error('of the test');
    };
    startInstance([taskOf({ everySeconds: 1, run })]);
    await expect.poll(() => runs).toBeGreaterThan(1);
  });
});
