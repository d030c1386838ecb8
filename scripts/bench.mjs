// `npm run bench -- NAME`: measures the production build on its own Postgres. Figures are ratios to a baseline of the same run,
// because machines differ and are noisy. It needs a build: run `npm run build` first. TEST_POSTGRES=15 measures with that version of
// Debian's Postgres.
//   cost [name] [rounds]       CPU and rates against programs that do only the same; fails far beyond its goals
//   mail [name] [rounds]       the same for messages through the whole mail server, which must be installed
//   paint [part of a path]     the console's pages of the running demo (PORT) against its sign-in page
//   interaction [part]         typing and selecting in the lists of the running demo (PORT), on a slowed processor
//   scale [messages] [name]    message lists with 10,000 and with 10,000,000 messages. It seeds them first, which takes 6 minutes
//                              and 12 GB, and keeps them in the folder BENCH_DIR (.data-scale)
//   cluster                    one instance behind nginx, and two
//   backup [rows]              backup and restore of 1,000,000 messages and as many audit entries
//   start                      the first start of a clone of the last commit against that of a Next.js app with one page; Linux
//   soak [minutes]             the app's memory under sends and reads
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureBackups } from './bench/backup.mjs';
import { compareInstances } from './bench/cluster.mjs';
import { compareCosts } from './bench/cost/compare.mjs';
import { measureInteractions } from './bench/interaction.mjs';
import { compareMail } from './bench/mail.mjs';
import { comparePaint } from './bench/paint.mjs';
import { compareScale } from './bench/scale/compare.mjs';
import { startBenchServer } from './bench/server.mjs';
import { soak } from './bench/soak.mjs';
import { compareStarts } from './bench/start.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { isBuildCurrent } from './steps/build.mjs';
import { installMissing } from './steps/install.mjs';

const LARGE = 10_000_000;
const BACKUP_ROWS = 1_000_000;
const SOAK_MINUTES = 10;
const MB = 1_048_576;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {Record<string, (lifetime: import('./process/lifetime.mjs').Lifetime) => Promise<number>>} */
const BENCHES = {
  cost: (lifetime) => benchCosts(compareCosts, lifetime),
  mail: (lifetime) => benchCosts(compareMail, lifetime),
  paint: benchPaint,
  interaction: benchInteraction,
  scale: benchScale,
  cluster: benchCluster,
  backup: benchBackup,
  start: benchStart,
  soak: benchSoak,
};

await runCommand(bench, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function bench(lifetime) {
  const run = BENCHES[process.argv[2] ?? ''];
  if (!run) throw new PlainError(`Name what to measure: ${Object.keys(BENCHES).join(', ')}.`);
  // It installs and builds a clone of its own.
  if (run !== benchStart) {
    await installMissing(root, { withDev: true });
    if (!isBuildCurrent(root)) throw new PlainError('There is no current build. Run "npm run build" first.');
  }
  return run(lifetime);
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
function makeDataDir(lifetime) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-bench-'));
  lifetime.atEnd(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/**
 * @param {typeof compareCosts} compare
 * @param {import('./process/lifetime.mjs').Lifetime} lifetime
 */
async function benchCosts(compare, lifetime) {
  const options = { only: process.argv[3], rounds: process.argv[4] ? Number(process.argv[4]) : undefined };
  let areAllWithin = true;
  for await (const { name, goal, isWithin, figures } of compare(root, makeDataDir(lifetime), lifetime, options)) {
    const texts = Object.entries(figures).map(([key, value]) => `${key} ${value.toFixed(2)}`);
    console.log(`${isWithin ? 'ok    ' : 'FAILED'} ${name.padEnd(36)}${texts.join(', ')} (goal: ${goal})`);
    areAllWithin &&= isWithin;
  }
  return areAllWithin ? 0 : 1;
}

function benchPaint() {
  console.log(`${`largest contentful paint, load ${loadavg()[0]?.toFixed(1)}`.padEnd(60)}      ms   ratio`);
  return comparePaint(root, {
    parts: process.argv.slice(3),
    onPage: ({ path, ms, ratio }) =>
      console.log(`${path.padEnd(60)}${ms.toFixed(0).padStart(8)}${ratio.toFixed(2).padStart(8)}`),
  });
}

function benchInteraction() {
  console.log(`${`to the next paint, 4 x slower, load ${loadavg()[0]?.toFixed(1)}`.padEnd(52)}      ms   CPU ms`);
  return measureInteractions(root, {
    parts: process.argv.slice(3),
    onInteraction: ({ path, name, ms, cpuMs }) =>
      console.log(`${`${path}: ${name}`.padEnd(52)}${ms.toFixed(0).padStart(8)}${cpuMs.toFixed(0).padStart(9)}`),
  });
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function benchBackup(lifetime) {
  const rows = Number(process.argv[3] ?? BACKUP_ROWS);
  if (!(rows > 0)) throw new PlainError('Give a number of messages, such as 1000000.');
  const server = await startBenchServer(root, makeDataDir(lifetime), lifetime);
  const { idle, backedUp, previewed, restored, ...archive } = await measureBackups(server, {
    rows,
    onProgress: (text) => console.log(`  ${text}`),
  });
  console.log(`${archive.rows.toLocaleString('en')} rows, an archive of ${(archive.sizeBytes / MB).toFixed(0)} MB`);
  console.log(`${''.padEnd(12)}seconds   MB over idle   median and 99th percentile of POST /send`);
  for (const [name, { result, seconds, peakBytes }] of Object.entries({ idle, backedUp, previewed, restored })) {
    const memory = ((peakBytes - idle.peakBytes) / MB).toFixed(0);
    const sends = 'p99' in result ? `${result.median.toFixed(1)} ms, ${result.p99.toFixed(1)} ms` : 'not sent';
    const ratio = 'p99' in result ? `, ${(result.p99 / idle.result.p99).toFixed(2)} x` : '';
    console.log(`${name.padEnd(12)}${seconds.toFixed(0).padStart(7)}${memory.padStart(15)}   ${sends}${ratio}`);
  }
  return 0;
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function benchSoak(lifetime) {
  const minutes = Number(process.argv[3] ?? SOAK_MINUTES);
  if (!(minutes > 0)) throw new PlainError('Give a number of minutes, such as 10.');
  const server = await startBenchServer(root, makeDataDir(lifetime), lifetime);
  const { before, after, calls } = await soak(server, {
    minutes,
    onMinute: (minute, bytes) => console.log(`minute ${minute}: ${(bytes / MB).toFixed(0)} MB`),
  });
  console.log(`${calls} calls, memory afterwards ${(after / before).toFixed(3)} x`);
  return 0;
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function benchStart(lifetime) {
  const { bare, own } = await compareStarts(root, lifetime);
  const format = (figure) => (figure < 100 ? figure.toFixed(1) : figure.toFixed(0)).padStart(10);
  const print = (name, least, figure) =>
    console.log(`${name.padEnd(32)}${format(least)}${format(figure)}${(figure / least).toFixed(2).padStart(8)}`);
  console.log(`${`load ${loadavg()[0]?.toFixed(1)}`.padEnd(32)}   Next.js  Postroom   ratio`);
  print('CPU seconds until it serves', bare.first.cpuSeconds, own.first.cpuSeconds);
  print('seconds until it serves', bare.first.wallSeconds, own.first.wallSeconds);
  print('files in node_modules', bare.files, own.files);
  print('MB in node_modules', bare.megabytes, own.megabytes);
  print('CPU seconds of the next start', bare.warm.cpuSeconds, own.warm.cpuSeconds);
  print('seconds of the next start', bare.warm.wallSeconds, own.warm.wallSeconds);
  return 0;
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function benchCluster(lifetime) {
  const results = await compareInstances(root, lifetime);
  console.log(`${'12 clients through nginx'.padEnd(50)}reads   sends, one instance = 1`);
  const [first] = results;
  for (const { name, reads, sends } of results) {
    const ratios = [reads / (first?.reads ?? reads), sends / (first?.sends ?? sends)];
    console.log(`${name.padEnd(50)}${ratios.map((ratio) => ratio.toFixed(2).padEnd(8)).join('')}`);
  }
  return 0;
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function benchScale(lifetime) {
  const large = Number(process.argv[3] ?? LARGE);
  if (!(large > 10_000)) throw new PlainError('Give a number of messages above 10000, such as 1000000.');
  const dir = resolve(process.env.BENCH_DIR ?? join(root, '.data-scale'));
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
  return 0;
}
