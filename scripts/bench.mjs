// `npm run bench`: measures the production build on its own Postgres. Every figure is a ratio to a baseline of the same
// run, because machines differ and are noisy. It needs a build: run `npm run build` first. `npm run bench -- growth`
// compares lists and searches with 1,000 and with 1,000,000 rows instead, which takes some minutes; `npm run bench -- dns` measures
// the API while the DNS of 1,000 domains is checked. `npm run bench -- scale [messages] [name]` compares message lists with
// 10,000 and with 10,000,000 messages, only calls with that name if one is given. It seeds them first, which takes 6
// minutes and 12 GB, and keeps them in the folder BENCH_DIR (.data-scale).
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareClaims } from './bench/claims.mjs';
import { compareDnsChecks } from './bench/dns.mjs';
import { compareGrowth } from './bench/growth.mjs';
import { compareEndpoints, watchHealthDuringLargeMessages } from './bench/measure.mjs';
import { compareScale } from './bench/scale/compare.mjs';
import { startBenchServer } from './bench/server.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { isBuildCurrent } from './steps/build.mjs';

const LARGE = 10_000_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(bench, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function bench(lifetime) {
  if (!isBuildCurrent(root)) throw new PlainError('There is no current build. Run "npm run build" first.');
  if (process.argv[2] === 'scale') return benchScale(lifetime);
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-bench-'));
  lifetime.atEnd(() => rmSync(dataDir, { recursive: true, force: true }));
  if (process.argv[2] === 'dns') {
    const { idle, during, seconds, domains } = await compareDnsChecks(root, dataDir, lifetime);
    console.log(`GET /domains while the DNS of ${domains} domains is checked, against the same server at rest:`);
    console.log(
      `median ${(during.median / idle.median).toFixed(2)} x, 99th percentile ${(during.p99 / idle.p99).toFixed(2)} x`,
    );
    console.log(`(${idle.p99.toFixed(0)} ms at rest), all checked after ${seconds.toFixed(0)} s`);
    return 0;
  }
  const server = await startBenchServer(root, dataDir, lifetime);

  if (process.argv[2] === 'growth') {
    console.log('median ms of calls with                  1,000   1,000,000 rows   ratio');
    for (const { name, small, large } of await compareGrowth(server)) {
      const figures = [
        small.toFixed(1).padStart(6),
        large.toFixed(1).padStart(12),
        (large / small).toFixed(2).padStart(13),
      ];
      console.log(`${name.padEnd(40)}${figures.join('')}`);
    }
    return 0;
  }
  console.log('10 concurrent clients                  ratio');
  for (const { name, perSecond, ratio } of await compareEndpoints(server)) {
    console.log(`${name.padEnd(26)}${perSecond.toFixed(0).padStart(9)}${ratio.toFixed(2).padStart(9)}`);
  }
  const { idle, during, before, after } = await watchHealthDuringLargeMessages(server);
  console.log(`\nhealth check during one 49 MB message: median ${(during.median / idle.median).toFixed(1)} x idle,`);
  console.log(`99th percentile ${during.p99.toFixed(0)} ms, slowest ${during.max.toFixed(0)} ms of ${during.count}`);
  console.log(`memory afterwards ${(after / before).toFixed(2)} x before`);
  const { rows, small, large } = await compareClaims(root, lifetime);
  console.log(`\nclaiming webhook deliveries with ${rows} waiting: ${(large / small).toFixed(2)} x with 1000`);
  return 0;
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function benchScale(lifetime) {
  const large = Number(process.argv[3] ?? LARGE);
  if (!(large > 10_000)) throw new PlainError('Give a number of messages above 10000, such as 1000000.');
  const dir = resolve(process.env.BENCH_DIR ?? join(root, '.data-scale'));
  console.log(`load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
  console.log(
    `median ms of calls with ${'10,000'.padStart(28)}${large.toLocaleString('en').padStart(14)} messages   ratio`,
  );
  await compareScale(
    root,
    {
      dir,
      large,
      only: process.argv[4],
      onResult({ name, small, large: measured }) {
        const figures = [small.toFixed(1).padStart(8), measured.toFixed(1).padStart(14)];
        console.log(`${name.padEnd(44)}${figures.join('')}${(measured / small).toFixed(2).padStart(17)}`);
      },
    },
    lifetime,
  );
  console.log(`load ${loadavg()[0]?.toFixed(1)}`);
  return 0;
}
