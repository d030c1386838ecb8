import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { call } from '../testing/app.mjs';
import { latencyUntil } from './latency.mjs';
import { seedMessages } from './scale/seed.mjs';

const SENDS_PER_SECOND = 20;
const IDLE_MS = 60_000;
const SAMPLE_MS = 100;
const POLL_MS = 500;

/**
 * Backs up, previews and restores a database through the API of a running server, which sends mail meanwhile, except during
 * the restore.
 * @param {Awaited<ReturnType<typeof import('./server.mjs').startBenchServer>>} server
 * @param {{ rows: number, onProgress: (text: string) => void }} options `rows` is the number of messages, and of audit entries
 */
export async function measureBackups(server, { rows, onProgress }) {
  const { api, key, domain, databaseUrl } = server;
  await seed(databaseUrl, rows, onProgress);
  const message = {
    from: { email: `orders@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order has shipped',
    text_body: 'It is on its way.\n'.repeat(200),
  };
  const sendUntil = (done) => latencyUntil(() => call(api, key, '/send', message), done, SENDS_PER_SECOND);
  await sendUntil(sleep(10_000));
  const idle = await measure(server, () => sendUntil(sleep(IDLE_MS)));
  onProgress('sends at rest');

  let backup;
  const backedUp = await measure(server, () =>
    sendUntil(
      (async () => {
        backup = await call(api, key, '/backups', {});
        backup = await untilDone(() => call(api, key, `/backups/${backup.id}`), 'status');
      })(),
    ),
  );
  onProgress('backup');
  const operate = async (body) => {
    const { id } = await call(api, key, `/backups/${backup.id}/restore`, body);
    return untilDone(() => call(api, key, `/backups/operations/${id}`).catch(waitForLocks), 'state');
  };
  const previewed = await measure(server, () => sendUntil(operate({ dry_run: true })));
  onProgress('dry run');
  const restored = await measure(server, () => operate({ dry_run: false }));
  return { sizeBytes: backup.size_bytes, rows: backup.rows, idle, backedUp, previewed, restored };
}

/** At its end a restore holds the locks of every table. */
function waitForLocks(error) {
  if (!error.message.includes('SERVICE_UNAVAILABLE')) throw error;
  return { state: 'running' };
}

async function untilDone(read, field) {
  for (;;) {
    const found = await read();
    if (found[field] !== 'running') {
      if (!['completed', 'succeeded'].includes(found[field])) throw new Error(found.message ?? found.error);
      return found;
    }
    await sleep(POLL_MS);
  }
}

/** Measures a step: its time, what it returned, and the most memory that the server used during it. */
async function measure({ memoryBytes }, run) {
  let isDone = false;
  let peakBytes = 0;
  const sampling = (async () => {
    while (!isDone) {
      peakBytes = Math.max(peakBytes, memoryBytes());
      await sleep(SAMPLE_MS);
    }
  })();
  const startedAt = performance.now();
  const result = await run().finally(() => {
    isDone = true;
  });
  await sampling;
  return { result, peakBytes, seconds: (performance.now() - startedAt) / 1000 };
}

async function seed(databaseUrl, rows, onProgress) {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  try {
    await seedMessages(db, { count: rows, onProgress });
    await seedAudit(db, rows);
  } finally {
    await db.end();
  }
}

/** Numbered far beyond the chain, so that they aren't sealed meanwhile. */
async function seedAudit(db, rows) {
  await db.query(
    `INSERT INTO audit_entry (id, admin_email, action, resource, ip_address, user_agent, request_id, outcome, details,
                              created_at, seq, hash, prev_hash)
     SELECT gen_random_uuid(), 'admin' || n % 500 || '@bench.example', 'alias.update', 'alias:' || n, '192.0.2.' || n % 250,
            'bench', gen_random_uuid(), 'success', jsonb_build_object('before', md5(n::text), 'after', md5('after' || n)),
            now() - ($1::int - n) * interval '1 second', 1000000000 + n, '\\x00', '\\x00'
       FROM generate_series(1, $1::int) AS n`,
    [rows],
  );
}
