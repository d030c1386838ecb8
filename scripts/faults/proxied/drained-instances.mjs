import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../testing/trial.mjs';
import { figures } from '../figures.mjs';
import { startLoad } from './load.mjs';
import { startProxied } from './setting.mjs';

const DRAIN_TIMEOUT_MS = 30_000;
const LOAD_MS = 2_000;

/** An instance is drained, taken out of nginx, stopped, started and put back, one after the other. No request may fail. */
export async function testDrainedInstances({ root, env, adminUrl, lifetime, check }) {
  const setting = await startProxied({ root, env, adminUrl, lifetime });
  const { admin, nginx, instances, sink } = setting;
  const load = startLoad(setting);
  await sleep(LOAD_MS);
  for (const instance of instances) {
    const node = (await admin('/cluster/nodes')).find(({ process_id: pid }) => pid === instance.pid());
    await admin(`/cluster/nodes/${node.id}`, { state: 'draining' }, 'PATCH');
    const isDrained = await until(async () => (await healthOf(instance)) === 503, DRAIN_TIMEOUT_MS);
    check('a draining instance is not ready', isDrained);
    await nginx.reload({ downPort: instance.port });
    const exitCode = await instance.stop();
    check('it stopped with exit code 0', exitCode === 0, exitCode);
    await sleep(LOAD_MS);
    await instance.restart();
    await nginx.reload();
    await sleep(LOAD_MS);
  }
  await load.stop();
  const { keyed, unkeyed, reads } = load.done;
  const all = [...keyed, ...unkeyed, ...reads];
  const failed = all.filter((one) => one.status !== 200 || ('tries' in one && one.tries > 1));
  check(`not one of ${all.length} requests failed`, failed.length === 0, failed.slice(0, 3));
  const sent = keyed.length + unkeyed.length;
  check(`the mail server got ${sent} messages`, sink.received.length === sent, sink.received.length);
  figures('both instances were drained, stopped and started again');
}

async function healthOf({ api }) {
  return (await fetch(`${api}/health`)).status;
}
