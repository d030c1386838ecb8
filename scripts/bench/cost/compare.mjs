import pg from 'pg';
import { startReceivers } from '../../faults/receivers.mjs';
import { trusting } from '../../faults/trusting.mjs';
import { startBenchServer } from '../server.mjs';
import { postmasterOf } from './cpu.mjs';
import { compareFullHour } from './full-hour.mjs';
import { portOf, start } from './program.mjs';
import { compareReads } from './reads.mjs';
import { compareSends } from './sends.mjs';
import { compareSignIns } from './sign-ins.mjs';
import { compareWebhooks } from './webhooks.mjs';

const ROUNDS = 5;

/**
 * A measure, its goal, and whether it is within what CI accepts: twice the goal, or twice what has been reached.
 * @typedef {{ name: string, goal: string, isWithin: boolean, figures: Record<string, number> }} Cost
 */

/**
 * Measures the cost of calls: CPU time of the app and of Postgres for each, and rates, against a program that does only the same.
 * Medians of rounds that alternate between both.
 * @returns {AsyncGenerator<Cost>}
 */
export async function* compareCosts(root, dataDir, lifetime, { rounds = ROUNDS, only = '' } = {}) {
  const sinkPort = await portOf(start(lifetime, new URL('./sink.mjs', import.meta.url)));
  const receivers = await startReceivers(() => 200);
  lifetime.atEnd(receivers.close);
  const settings = trusting({ SMTP_URL: `smtp://127.0.0.1:${sinkPort}` }, receivers.cert);
  const server = await startBenchServer(root, dataDir, lifetime, settings);
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  lifetime.atEnd(() => db.end());
  const bench = { ...server, db, lifetime, rounds, sinkPort, receivers, postmaster: await postmasterOf(db) };
  for (const compare of [compareReads, compareSends, compareFullHour, compareWebhooks, compareSignIns])
    yield* compare(bench, only);
}
