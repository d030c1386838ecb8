import { call } from '../../testing/app.mjs';
import { load } from './load.mjs';
import { alternate, costOf, roundsToWarmUp } from './rounds.mjs';

const NAME = 'POST /send, 100,000 in the hour';
const SENT = 100_000;
const SENDS = { connections: 20, count: 1_000 };

/** Sends of a domain that has sent much in the last hour, which counts against its hourly limits, and of new domains. */
export async function* compareFullHour(bench, only) {
  if (!NAME.includes(only)) return;
  const busy = await addDomain(bench, 'busy.example');
  await bench.db.query(
    `INSERT INTO counted_send (id, address, domain_id, at)
     SELECT gen_random_uuid(), $1, $2, now() - n * interval '30 ms' FROM generate_series(1, $3::int) AS n`,
    [senderOf(busy), busy.id, SENT],
  );
  await bench.db.query('VACUUM ANALYZE counted_send');
  let number = 0;
  const { empty, full } = await alternate(
    bench.rounds,
    {
      empty: async () => costOfSends(bench, await addDomain(bench, `new${number++}.example`)),
      full: () => costOfSends(bench, busy),
    },
    roundsToWarmUp(2 * SENDS.count),
  );
  const [ms, before] = [full.app + full.postgres, empty.app + empty.postgres];
  yield {
    name: NAME,
    goal: 'CPU at most 1.2 x with none',
    isWithin: ms / before <= 2.4,
    figures: { ratio: ms / before, ms, 'ms with none': before },
  };
}

/** @returns {Promise<{ id: string, name: string }>} */
function addDomain({ api, key }, name) {
  return call(api, key, '/domains', { name });
}

function senderOf({ name }) {
  return `orders@${name}`;
}

function costOfSends({ key, port, pid, postmaster }, domain) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const [from, to] = [senderOf(domain), 'ann@far.example'].map((email) => ({ email }));
  const body = JSON.stringify({ from, to: [to], subject: 'Your order', text_body: 'It is on its way.' });
  const send = { path: '/api/v1/send', method: 'POST', body };
  return costOf(() => load({ ...SENDS, port, headers }, () => send), SENDS.count, { app: pid, postgres: postmaster });
}
