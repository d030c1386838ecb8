import { once } from 'node:events';
import { load } from './load.mjs';
import { start } from './program.mjs';
import { alternate, costOf, roundsToWarmUp } from './rounds.mjs';

const SENDS = { connections: 20, count: 2_000 };
const BATCH = 100;
const BATCHES = { connections: 8, count: 80 };
const TEXT = 'It is on its way.\n'.repeat(284);

/** Sends to a server that accepts everything, against nodemailer with as many pooled connections. */
export async function* compareSends(bench, only) {
  const { key, domain, port, sinkPort, lifetime } = bench;
  const mailer = start(lifetime, new URL('./mailer.mjs', import.meta.url), [
    `smtp://127.0.0.1:${sinkPort}`,
    String(SENDS.connections),
  ]);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const message = {
    from: { email: `orders@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order',
    text_body: TEXT,
  };
  const one = { path: '/api/v1/send', method: 'POST', body: JSON.stringify(message) };
  const batch = {
    path: '/api/v1/send/batch',
    method: 'POST',
    body: JSON.stringify({ messages: Array(BATCH).fill(message) }),
  };
  const cases = [
    { name: 'POST /send, 5 KB', goal: 'at least 0.25', limit: 0.07, run: { ...SENDS }, each: 1, call: one },
    {
      name: 'POST /send/batch of 100',
      goal: 'at least 0.5',
      limit: 0.15,
      run: { ...BATCHES },
      each: BATCH,
      call: batch,
    },
  ];
  for (const each of cases.filter(({ name }) => name.includes(only))) {
    const sent = each.run.count * each.each;
    const measured = await alternate(
      bench.rounds,
      {
        bare: async () => {
          mailer.send({ count: sent, text: TEXT });
          const [rate] = await once(mailer, 'message');
          return { rate };
        },
        app: () =>
          costOf(async () => (await load({ ...each.run, port, headers }, () => each.call)) * each.each, sent, {
            app: bench.pid,
            postgres: bench.postmaster,
          }),
      },
      roundsToWarmUp(sent),
    );
    const ratio = measured.app.rate / measured.bare.rate;
    yield {
      name: each.name,
      goal: `rate ${each.goal} x nodemailer`,
      isWithin: ratio >= each.limit,
      figures: {
        ratio,
        'per second': measured.app.rate,
        'app ms': measured.app.app,
        'postgres ms': measured.app.postgres,
      },
    };
  }
}
