import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../testing/trial.mjs';

const KEY = 'MAX_MESSAGE_SIZE_MB';
const PAUSE_MS = 1_000;
// Far more than the two seconds that are documented, since an instance may be starting meanwhile.
const TIMEOUT_MS = 30_000;

/**
 * Changes a setting again and again, and waits until both instances apply it. `slowestMs` is of the `undisturbed` changes,
 * during which both were running.
 */
export async function changeSettings({ call, key, instances }, state) {
  const headers = { authorization: `Bearer ${key}` };
  let changes = 0;
  let lost = 0;
  let undisturbed = 0;
  let slowestMs = 0;
  for (let value = 20; !state.isDone; value = value === 40 ? 20 : value + 1) {
    const { status } = await call('/config', { method: 'PATCH', headers, body: { values: { [KEY]: value } } });
    if (status === 200) {
      const startedAt = performance.now();
      const { phase } = state;
      const isApplied = await until(async () => {
        const found = await Promise.all(instances.map(({ api }) => valueAt(api, headers)));
        return found.every((one) => one === value);
      }, TIMEOUT_MS);
      changes += 1;
      if (!isApplied) lost += 1;
      else if (phase % 2 === 0 && phase === state.phase) {
        undisturbed += 1;
        slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      }
    }
    await sleep(PAUSE_MS);
  }
  return { changes, lost, undisturbed, slowestMs };
}

/** The value that one instance applies; undefined while it isn't running. */
async function valueAt(api, headers) {
  const answer = await fetch(`${api}/config`, { headers })
    .then((response) => response.json())
    .catch(() => null);
  return answer?.data?.find(({ key }) => key === KEY)?.value;
}
