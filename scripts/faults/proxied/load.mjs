import { setTimeout as sleep } from 'node:timers/promises';

const KEYED_LANES = 3;
const UNKEYED_LANES = 2;
const READ_LANES = 3;
const PAUSE_MS = 60;
const RETRY_MS = 250;
const RETRIES = 240;
const READS = ['/messages?limit=20', '/domains', '/analytics?period=24h', '/webhooks', '/audit?limit=20'];

/**
 * @typedef {{ subject: string, status: number, messageId: string | null, outcome: string | null, tries: number }} SentOne
 * @typedef {ReturnType<typeof startLoad>} Load
 */

/**
 * Sends with and without an Idempotency-Key, and reads with an API key and with a session, until it is stopped. A send with
 * a key is repeated until there is a definite answer; everything else is tried once.
 */
/** @param {{ call: ReturnType<typeof import('./client.mjs').createClient>, key: string, cookie: string, domain: string }} setting */
export function startLoad({ call, key, cookie, domain }) {
  const bearer = { authorization: `Bearer ${key}` };
  /** @type {{ keyed: SentOne[], unkeyed: SentOne[], reads: { what: string, status: number, code: string }[] }} */
  const done = { keyed: [], unkeyed: [], reads: [] };
  const state = { isStopped: false, count: 0 };

  const sendOne = async (kind) => {
    state.count += 1;
    const subject = `${kind} ${state.count}`;
    const headers = { ...bearer, ...(kind === 'keyed' && { 'idempotency-key': `load-${state.count}` }) };
    const body = {
      from: { email: `sender-${state.count % 20}@${domain}` },
      to: [{ email: 'ann@far.example' }],
      subject,
      text_body: 'A message that must arrive once.',
    };
    const answer = await untilDefinite(() => call('/send', { method: 'POST', headers, body }), kind === 'keyed');
    done[kind].push({ subject, ...answer });
  };
  const read = async (path, headers) => {
    const { status, body } = await call(path, { headers });
    done.reads.push({ what: path, status, code: body?.error?.code ?? '' });
  };
  const lane = async (work) => {
    for (let turn = 0; !state.isStopped; turn++) {
      await work(turn);
      await sleep(PAUSE_MS);
    }
  };
  const lanes = [
    ...Array.from({ length: KEYED_LANES }, () => lane(() => sendOne('keyed'))),
    ...Array.from({ length: UNKEYED_LANES }, () => lane(() => sendOne('unkeyed'))),
    ...Array.from({ length: READ_LANES }, () => lane((turn) => read(READS[turn % READS.length], bearer))),
    lane((turn) => read(turn % 2 ? '/auth/me' : '/messages?limit=5', { cookie })),
  ];
  return {
    done,
    async stop() {
      state.isStopped = true;
      await Promise.all(lanes);
    },
  };
}

/** @returns {Promise<Omit<SentOne, 'subject'>>} */
async function untilDefinite(send, isRepeated) {
  for (let tries = 1; ; tries++) {
    const { status, body } = await send();
    const outcome = body?.error?.details?.outcome ?? null;
    const isDefinite = (status >= 200 && status < 300) || outcome !== null || (status >= 400 && status < 409);
    if (isDefinite || !isRepeated || tries === RETRIES) {
      return { status, outcome, messageId: body?.data?.message_id ?? body?.error?.details?.message_id ?? null, tries };
    }
    await sleep(RETRY_MS);
  }
}
