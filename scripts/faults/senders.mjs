import { setTimeout as sleep } from 'node:timers/promises';

const LANES = 8;
const TRIES = 6;
const PAUSE_MS = 400;

/**
 * Sends like a careful client: with an Idempotency-Key, and repeatedly while there is no response. A message that stays
 * uncertain is replaced by another one.
 * @returns the Message-IDs that were acknowledged, `count` of them
 */
export async function sendUntilAcknowledged({ instances, key, domain, count }) {
  const acknowledged = [];
  let begun = 0;
  const lane = async () => {
    while (acknowledged.length < count) {
      begun += 1;
      const messageId = await sendOne({ instances, key, domain, number: begun });
      if (messageId && acknowledged.length < count) acknowledged.push(messageId);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return acknowledged;
}

async function sendOne({ instances, key, domain, number }) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': `fault-${number}`,
  };
  const body = JSON.stringify({
    from: { email: `sender-${number % 50}@${domain}` },
    to: [{ email: 'ann@far.example' }],
    subject: `Message ${number}`,
    text_body: 'A message that must not be lost.',
  });
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { api } = instances[(number + attempt) % instances.length];
    const answer = await fetch(`${api}/send`, { method: 'POST', headers, body })
      .then((response) => response.json())
      .catch(() => null);
    if (answer?.data) return answer.data.message_id;
    await sleep(PAUSE_MS);
  }
  return null;
}
