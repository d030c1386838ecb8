import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from './programs';

const folder = makeFolder();

/** A command that defers signals while it waits, as a child of it does, until the file NAME.go is there. */
function start(kind: 'upgrade' | 'installation', name: string) {
  const log = join(folder, `${name}.log`);
  const script = `const { deferSignals } = await import('${process.cwd()}/deploy/host/stop-request.mjs');
    const { spawnSync } = await import('node:child_process');
    const signalSoFar = deferSignals();
    console.log('begins');
    const { signal, status } = spawnSync('bash', ['-c', 'until [[ -e ${folder}/${name}.go ]]; do sleep 0.05; done; echo done'], { stdio: 'inherit' });
    console.log('part:', signal, status);
    console.log('stopped by', await signalSoFar());
    process.exitCode = 3;`;
  const command = [process.execPath, '--input-type=module', '-e', script];
  const run = spawn('bash', ['deploy/host/run-logged', kind, log, ...command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  run.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return {
    output: () => output,
    log: () => readFileSync(log, 'utf8'),
    go: () => writeFileSync(join(folder, `${name}.go`), ''),
    /** A terminal sends it to the whole group of processes. */
    signal: (signal: NodeJS.Signals) => process.kill(-Number(run.pid), signal),
    ended: once(run, 'close').then(([status]) => status),
  };
}

describe.each(['upgrade', 'installation'] as const)('an %s', (kind) => {
  it.each(['SIGINT', 'SIGTERM'] as const)('stops when it wants to, and its output is complete: %s', async (signal) => {
    const run = start(kind, `${kind}-${signal}`);
    await expect.poll(run.output).toContain('begins');
    run.signal(signal);
    await expect.poll(run.output).toContain('Stopping: what runs now finishes first.');
    run.go();
    expect(await run.ended).toBe(3);
    expect(run.output()).toMatch(/done\npart: null 0\nstopped by SIGTERM\n$/);
    expect(run.log()).toBe(run.output());
  });

  it('goes on when its terminal is closed', async () => {
    const run = start(kind, `${kind}-closed`);
    await expect.poll(run.output).toContain('begins');
    run.signal('SIGHUP');
    run.go();
    expect(await run.ended).toBe(3);
    expect(run.log()).toMatch(/done\npart: null 0\nstopped by null\n$/);
  });
});

it('an installation ends immediately with a second Ctrl-C, with all that it started', async () => {
  const run = start('installation', 'twice');
  await expect.poll(run.output).toContain('begins');
  run.signal('SIGINT');
  await expect.poll(run.output).toContain('Ctrl-C again ends it immediately.');
  run.signal('SIGINT');
  expect(await run.ended).toBe(137);
  expect(run.log()).toBe(run.output());
});
