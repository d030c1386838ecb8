import { Agent, request } from 'node:https';
import { call } from '../../testing/app.mjs';
import { until } from '../../testing/trial.mjs';
import { alternate, costOf } from './rounds.mjs';

const NAME = 'webhook deliveries, 100 endpoints';
const ENDPOINTS = 100;
const EVENTS = 100;
const CONNECTIONS = 50;
const DELIVERED_WITHIN_MS = 120_000;

/** Deliveries to endpoints that answer at once, against POSTs of the same size over connections that stay open. */
export async function* compareWebhooks(bench, only) {
  if (!NAME.includes(only)) return;
  const { api, key, domain, receivers, rounds, pid, postmaster } = bench;
  for (let number = 0; number < ENDPOINTS; number++)
    await call(api, key, '/webhooks', { url: `${receivers.url}/${number}`, events: ['mail.sent'] });
  const message = {
    from: { email: `orders@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order',
    text_body: 'It is on its way.',
  };
  const messages = Array(EVENTS).fill(message);
  const count = ENDPOINTS * EVENTS;
  const deliver = async () => {
    const before = receivers.requests.length;
    const startedAt = performance.now();
    await call(api, key, '/send/batch', { messages });
    const areAllThere = async () => receivers.requests.length >= before + count;
    if (!(await until(areAllThere, DELIVERED_WITHIN_MS))) throw new Error('not all events were delivered');
    return count / ((performance.now() - startedAt) / 1000);
  };
  const measured = await alternate(rounds, {
    bare: async () => ({ rate: await postDirectly(receivers, count) }),
    app: () => costOf(deliver, count, { app: pid, postgres: postmaster }),
  });
  const ratio = measured.app.rate / measured.bare.rate;
  yield {
    name: NAME,
    goal: 'rate at least 0.5 x https with keep-alive',
    isWithin: ratio >= 0.04,
    figures: {
      ratio,
      'per second': measured.app.rate,
      'app ms': measured.app.app,
      'postgres ms': measured.app.postgres,
    },
  };
}

/** @returns requests per second */
async function postDirectly({ url, cert, requests }, count) {
  const body = JSON.stringify({ id: 'x'.repeat(36), text: 'x'.repeat(800) });
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, ca: cert });
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      await post(`${url}/${begun % ENDPOINTS}`, agent, body);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  agent.destroy();
  requests.length = 0;
  return count / ((performance.now() - startedAt) / 1000);
}

function post(url, agent, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        response.on('end', resolve).resume();
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
