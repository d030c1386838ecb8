import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Installation } from '../installation';
import { createServiceWatch } from './watch';

/** A generator that reads what it is to generate, then waits until it may go on. */
const GENERATOR = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const config = process.argv[3];
const files = JSON.parse(readFileSync(config + '/wanted', 'utf8'));
writeFileSync(config + '/begun', '');
const timer = setInterval(() => {
  if (!existsSync(config + '/go')) return;
  clearInterval(timer);
  process.stdout.write(JSON.stringify({ files, custom: [], database: '', secrets: [] }));
}, 10);
`;

const FILE = { path: 'redis.conf', text: '', mode: 0o640, gid: 0, hasSecret: false };

it('what a look finds that began before an operation ended is replaced by the next look', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [deploy, config] = [join(folder, 'deploy'), join(folder, 'config')];
  for (const path of [deploy, config]) mkdirSync(path);
  writeFileSync(join(deploy, 'configure.mjs'), GENERATOR);
  writeFileSync(join(config, 'wanted'), '[]');
  const installation = { config, settings: join(folder, 'settings'), data: folder } as Installation;
  const agent = { version: '1.0.0', process: { pid: process.pid, startedAt: new Date() } };
  const watch = createServiceWatch(() => installation, { deploy, agent });
  const driftOf = (reports: Awaited<ReturnType<typeof watch.look>>) =>
    reports.find(({ service }) => service === 'redis')?.drift;

  const first = watch.look();
  await expect.poll(() => existsSync(join(config, 'begun'))).toBe(true);
  writeFileSync(join(config, 'wanted'), JSON.stringify([FILE]));
  watch.forget();
  writeFileSync(join(config, 'go'), '');
  expect(driftOf(await first)).toEqual([]);
  expect(driftOf(await watch.look())).toEqual([{ path: 'redis.conf', kind: 'missing' }]);
  rmSync(join(config, 'begun'));
  expect(driftOf(await watch.look())).toHaveLength(1);
  expect(existsSync(join(config, 'begun')), 'compared again within a minute').toBe(false);
});
