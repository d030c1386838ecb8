import pg from 'pg';
import { call, createAdminKey } from '../testing/app.mjs';

const SMALL = 1_000;
const LARGE = 1_000_000;
const SMALL_DIRECTORY = 1_000;
const LARGE_DIRECTORY = 200_000;
const OLD = 10_000;
const QUIET = 40;
const CALLS = 41;
const WARM_UP = 3;

/** Median milliseconds of calls that read lists, with few rows and with many. */
export async function compareGrowth({ api, key, port, databaseUrl }) {
  const db = new pg.Client(databaseUrl);
  await db.connect();
  const add = async (name) => (await call(api, key, '/domains', { name })).id;
  const domains = { busy: await add('busy.example'), quiet: [await add('a.example'), await add('b.example')] };
  const calls = callsOf({ key, quiet: await createAdminKey(port, key, domains.quiet) });
  await fill(db, domains, { from: 1, to: SMALL, directoryTo: SMALL_DIRECTORY, directoryFrom: 1 });
  const small = await measure(api, calls);
  await fill(db, domains, {
    from: SMALL + 1,
    to: LARGE,
    directoryFrom: SMALL_DIRECTORY + 1,
    directoryTo: LARGE_DIRECTORY,
  });
  const large = await measure(api, calls);
  await db.end();
  return calls.map(({ name }, index) => ({ name, small: small[index], large: large[index] }));
}

function callsOf({ key, quiet }) {
  const of = (path, who = key, name = path) => ({ name, path, key: who });
  return [
    of('/messages'),
    of('/messages?to=old@far.example'),
    of('/messages?q=old@far.example'),
    of('/messages?q=order%20of%20your'),
    of('/messages?limit=50', quiet, '/messages of two quiet domains'),
    of('/audit?outcome=error'),
    of('/audit?admin_email=admin7@bench.example'),
    of('/audit?ip_address=192.0.2.7'),
    of(`/audit?request_id=${requestId(500)}`),
    of('/audit?api_key_id=00000000-0000-7000-8000-000000000007'),
    of('/mailboxes?sort=local_part&order=asc'),
    of('/mailboxes?q=user77'),
    of('/mailboxes?q=nobody'),
    of('/aliases?sort=source_local_part&order=asc'),
    of('/aliases?q=info77'),
  ];
}

async function measure(api, calls) {
  const medians = [];
  for (const { path, key } of calls) {
    const times = [];
    for (let round = 0; round < WARM_UP + CALLS; round++) {
      const startedAt = performance.now();
      await call(api, key, path);
      if (round >= WARM_UP) times.push(performance.now() - startedAt);
    }
    medians.push(times.toSorted((one, other) => one - other)[Math.floor(CALLS / 2)]);
  }
  return medians;
}

function requestId(n) {
  return `00000000-0000-7000-9000-${String(n).padStart(12, '0')}`;
}

/** The oldest messages are of the quiet domains, the first 10,000 also to one address. */
async function fill(db, { busy, quiet }, { from, to, directoryFrom, directoryTo }) {
  await db.query(
    `INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, subject, size_bytes,
                          status, created_at, updated_at)
     SELECT gen_random_uuid(), '<' || n || '@busy.example>', 'Q' || n,
            CASE WHEN n <= $3::int THEN ($4::uuid[])[n % 2 + 1] ELSE $5::uuid END, 'outbound', 'from' || n % 2000 || '@busy.example',
            ARRAY['to' || n || '@far.example'], 'Your order ' || md5(n::text) || ' of part ' || n % 500, 1000, 'delivered',
            now() - ($6::int - n) * interval '1 second', now()
       FROM generate_series($1::int, $2::int) AS n`,
    [from, to, QUIET, quiet, busy, LARGE],
  );
  await db.query(
    `INSERT INTO message_recipient (id, message_id, address, kind, status, created_at)
     SELECT gen_random_uuid(), m.id, address || '@far.example', 'to', 'delivered', m.created_at
       FROM message m, LATERAL (SELECT substr(queue_id, 2)::int AS n) AS k,
            LATERAL unnest(ARRAY['to' || n, CASE WHEN n <= $3::int THEN 'old' END]) AS a(address)
      WHERE n BETWEEN $1::int AND $2::int AND address IS NOT NULL`,
    [from, to, OLD],
  );
  // Numbered far beyond the chain, so that they aren't sealed while calls are measured.
  await db.query(
    `INSERT INTO audit_entry (id, admin_email, api_key_id, action, resource, ip_address, user_agent, request_id, outcome,
                              details, created_at, seq, hash, prev_hash)
     SELECT gen_random_uuid(), 'admin' || n % 500 || '@bench.example',
            CASE WHEN n % 20 = 0 THEN ('00000000-0000-7000-8000-' || lpad((n / 20 % 500)::text, 12, '0'))::uuid END,
            'alias.update', 'alias:' || n, '192.0.2.' || n % 250, 'bench',
            ('00000000-0000-7000-9000-' || lpad(n::text, 12, '0'))::uuid,
            (CASE WHEN n % 500 = 0 THEN 'error' ELSE 'success' END)::audit_outcome,
            '{}', now() - ($3::int - n) * interval '1 second', 1000000000 + n, '\\x00', '\\x00'
       FROM generate_series($1::int, $2::int) AS n`,
    [from, to, LARGE],
  );
  const directory = [directoryFrom, directoryTo, busy];
  await db.query(
    `INSERT INTO mailbox (id, domain_id, local_part, password_hash, display_name, updated_at)
     SELECT gen_random_uuid(), $3::uuid, 'user' || n, 'x', 'Person ' || md5(n::text), now()
       FROM generate_series($1::int, $2::int) AS n`,
    directory,
  );
  await db.query(
    `INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
     SELECT gen_random_uuid(), $3::uuid, 'info' || n, 'person' || n || '@far.example', now()
       FROM generate_series($1::int, $2::int) AS n`,
    directory,
  );
  await db.query('VACUUM ANALYZE');
}
