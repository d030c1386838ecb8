import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'postroom-log-'));
const [program, talker, flood] = ['program', 'talker', 'flood'].map((name) => join(folder, `${name}.cjs`)) as [
  string,
  string,
  string,
];
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  build(
    program,
    `import { log } from './log';
    log.info('first');
    setTimeout(() => {
      log.info('second');
      process.stderr.write('It goes on.');
      process.exit(0);
    }, 50);`,
  );
  // As Next.js does, it writes uncaught errors.
  build(
    talker,
    `import { log } from './log';
    let uncaught = 0;
    process.on('uncaughtException', (error) => {
      uncaught += 1;
      if (uncaught === 9) process.exit(uncaught);
      console.error(error);
    });
    let left = 100;
    const talk = () => {
      log.info('more');
      // More than a pipe holds.
      process.stderr.write('more'.repeat(10_000));
      left -= 1;
      if (left > 0) setImmediate(talk);
      else setTimeout(() => process.exit(uncaught), 100);
    };
    talk();`,
  );
  build(
    flood,
    `import { log } from './log'; for (let n = 0; n < 3_000; n++) log.info('x'.repeat(1_000)); process.exit(0);`,
  );
});

function build(outfile: string, contents: string): void {
  const stdin = { contents, resolveDir: import.meta.dirname };
  buildSync({ stdin, bundle: true, platform: 'node', outfile, logLevel: 'silent' });
}

const run = (output: number | 'pipe') =>
  spawnSync(process.execPath, [program], {
    env: { ...process.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', output, 'pipe'],
    encoding: 'utf8',
    timeout: 30_000,
  });

it('a process goes on, and ends, with a full disk under its log', () => {
  expect(run(openSync('/dev/full', 'w'))).toMatchObject({ status: 0, stderr: 'It goes on.' });
});

it('a process goes on without uncaught errors when nobody reads its output any more', () => {
  const command = '{ "$0" "$1" 2>&1; echo "ended with $?" >&3; } | head -n 1';
  const { output } = spawnSync('sh', ['-c', command, process.execPath, talker], {
    env: { ...process.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(output[3]).toBe('ended with 0\n');
});

it('a process goes on, and ends, while nobody reads its output', async () => {
  const child = spawn(process.execPath, [flood], { env: { ...process.env, LOG_LEVEL: 'info' }, timeout: 30_000 });
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('lines are written before the process ends', () => {
  const { stdout } = run('pipe');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  ).toEqual(['first', 'second']);
});
