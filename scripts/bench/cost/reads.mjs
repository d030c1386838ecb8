import { call } from '../../testing/app.mjs';
import { load } from './load.mjs';
import { portOf, start } from './program.mjs';
import { alternate, costOf, roundsToWarmUp } from './rounds.mjs';

const ALIASES = 200;
const READS = { connections: 10, count: 4_000 };
// They were measured at 7 and 8.
const LIMIT = 16;

/** Reads with an API key, against node:http and pg with the same rows and JSON. */
export async function* compareReads(bench, only) {
  const { api, key, databaseUrl, port, db } = bench;
  const [domain] = await call(api, key, '/domains');
  for (let index = 0; index < ALIASES; index++)
    await call(api, key, '/aliases', {
      domain_id: domain.id,
      source_local_part: `alias${index}`,
      destination: 'ann@far.example',
    });
  const [alias] = await call(api, key, '/aliases?limit=1');
  const { rows } = await db.query('SELECT id FROM admin LIMIT 1');
  const bare = start(bench.lifetime, new URL('./bare-server.mjs', import.meta.url), [], { DATABASE_URL: databaseUrl });
  const barePort = await portOf(bare);
  const cases = [
    { name: 'GET /aliases, 50 rows', goal: 3.5, limit: 7, path: '/aliases?limit=50', bare: '/aliases' },
    { name: 'GET /aliases/{id}', goal: 4, limit: LIMIT, path: `/aliases/${alias.id}`, bare: `/alias?${alias.id}` },
    { name: 'GET /auth/me', goal: 4, limit: LIMIT, path: '/auth/me', bare: `/me?${rows[0].id}` },
  ];
  for (const each of cases.filter(({ name }) => name.includes(only))) {
    const headers = { authorization: `Bearer ${key}` };
    const ours = () => load({ ...READS, port, headers }, () => ({ path: `/api/v1${each.path}` }));
    const theirs = () => load({ ...READS, port: barePort, headers: {} }, () => ({ path: each.bare }));
    const measured = await alternate(
      bench.rounds,
      {
        bare: () => costOf(theirs, READS.count, { app: bare.pid, postgres: bench.postmaster }),
        app: () => costOf(ours, READS.count, { app: bench.pid, postgres: bench.postmaster }),
      },
      roundsToWarmUp(READS.count),
    );
    const ratio = measured.app.app / measured.bare.app;
    yield {
      name: each.name,
      goal: `CPU of the app at most ${each.goal} x bare`,
      isWithin: ratio <= each.limit,
      figures: {
        ratio,
        'app ms': measured.app.app,
        'bare ms': measured.bare.app,
        'postgres ms': measured.app.postgres,
        'postgres ratio': measured.app.postgres / measured.bare.postgres,
      },
    };
  }
}
