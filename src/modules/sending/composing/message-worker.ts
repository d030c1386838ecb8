import { type MessagePort, parentPort } from 'node:worker_threads';
import { type Job, type JobResult, work } from './message-work';

/** The thread's side of message-threads.ts: one job in, one result out, its bytes handed over and not copied. */
const port = parentPort as MessagePort;

port.on('message', async (job: Job) => {
  try {
    const result = await work(job);
    port.postMessage({ result }, transferable(result));
  } catch (error) {
    port.postMessage({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});

function transferable(result: JobResult): ArrayBuffer[] {
  if (result.kind === 'fault') return [];
  const messages = result.kind === 'message' ? [result.message] : result.items.filter((item) => 'raw' in item);
  return messages.flatMap(({ raw }) => (raw.byteLength === raw.buffer.byteLength ? [raw.buffer as ArrayBuffer] : []));
}
