import { call } from '../testing/app.mjs';

const PARALLEL = 10;
const LARGE_ATTACHMENT_BYTES = 36 * 1024 * 1024;
const SETTLE_MS = 8_000;

/** Throughput of each call, as a ratio to the cheapest one. */
export async function compareEndpoints({ api, key, domain }) {
  const message = {
    from: { email: `orders@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Your order has shipped',
    text_body: 'It is on its way.\n'.repeat(200),
  };
  /** @type {[name: string, count: number, each: number, run: () => Promise<unknown>][]} */
  const kinds = [
    ['GET /version (baseline)', 600, 1, () => call(api, key, '/version')],
    ['GET /auth/me', 600, 1, () => call(api, key, '/auth/me')],
    ['POST /send', 400, 1, () => call(api, key, '/send', message)],
    ['POST /send/batch, messages', 8, 50, () => call(api, key, '/send/batch', { messages: Array(50).fill(message) })],
    ['GET /messages, 50 rows', 300, 1, () => call(api, key, '/messages?limit=50')],
  ];
  const results = [];
  for (const [name, count, each, run] of kinds) {
    await repeat(Math.min(count, 20), run);
    const perSecond = (await repeat(count, run)) * each;
    results.push({ name, perSecond, ratio: perSecond / (results[0]?.perSecond ?? perSecond) });
  }
  return results;
}

/** Health check times in milliseconds while a 49 MB message is sent, and memory afterwards. */
export async function watchHealthDuringLargeMessages({ api, key, domain, memoryBytes }) {
  const content = Buffer.alloc(LARGE_ATTACHMENT_BYTES, 7).toString('base64');
  const attachment = { filename: 'large.bin', content_type: 'application/octet-stream', content };
  const body = JSON.stringify({
    from: { email: `orders@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Large',
    text_body: 'See the attachment.',
    attachments: [attachment],
  });
  const send = () => call(api, key, '/send', body);
  await send();
  const idle = await pingUntil(api, new Promise((resolve) => setTimeout(resolve, 1_000)));
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const before = memoryBytes();
  const during = await pingUntil(api, send());
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  return { idle, during, before, after: memoryBytes() };
}

async function repeat(count, run) {
  let begun = 0;
  const startedAt = performance.now();
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, lane));
  return count / ((performance.now() - startedAt) / 1000);
}

async function pingUntil(api, done) {
  let isDone = false;
  const settled = done.finally(() => {
    isDone = true;
  });
  const latencies = [];
  while (!isDone) {
    const startedAt = performance.now();
    await fetch(`${api}/health`).then((response) => response.arrayBuffer());
    latencies.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await settled;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return { median: at(0.5), p99: at(0.99), max: at(1), count: latencies.length };
}
