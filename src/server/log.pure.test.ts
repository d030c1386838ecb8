import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'postroom-log-'));
const program = join(folder, 'program.cjs');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  const contents = `
    import { log } from './log';
    log.info('first');
    setTimeout(() => {
      log.info('second');
      process.stderr.write('It goes on.');
      process.exit(0);
    }, 50);`;
  const stdin = { contents, resolveDir: import.meta.dirname };
  buildSync({ stdin, bundle: true, platform: 'node', outfile: program, logLevel: 'silent' });
});

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

it('lines are written before the process ends', () => {
  const { stdout } = run('pipe');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg),
  ).toEqual(['first', 'second']);
});
