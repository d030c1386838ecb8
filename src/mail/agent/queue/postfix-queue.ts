import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isQueueId } from '@/lib/queue-id';
import type { AgentHandlers, QueueChange, QueueChanged, QueueName, QueuePage, QueueQuery } from '../../agent-requests';
import { firstRecipients, readPages, senderOf } from './queue-page';

const READ_TIMEOUT_MS = 45_000;
// The console asks for a page and for the sums at once: one reading serves both.
const GATHERING_MS = 50;
const COMMAND_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const STDERR_CHARS = 2_000;

type QueueHandlers = Pick<AgentHandlers, 'queue.list' | 'queue.change' | 'queue.flush'>;

/** The queue of the Postfix that is configured in a folder. Changing it needs root. */
export function createQueueHandlers({ configFolder }: { configFolder: string }): QueueHandlers {
  const run = (command: string, args: string[]) => runPostfix(command, ['-c', configFolder, ...args]);
  const requireRunning = async () => {
    const { exitCode } = await run('postfix', ['status']);
    if (exitCode !== 0) throw new Error('Postfix is not running.');
  };
  const must = async (command: string, args: string[]) => {
    const result = await run(command, args);
    if (result.exitCode !== 0) throw new Error(`${command} ${args.join(' ')}: ${result.stderr.trim()}`);
    return result;
  };
  const readQueue = oneReadingForAll((queries) => list(configFolder, queries));

  return {
    'queue.list': async (query) => {
      await requireRunning();
      return readQueue(query);
    },
    'queue.change': async ({ change, queueId }) => {
      if (!isQueueId(queueId)) throw new Error('This is not a queue id.');
      await requireRunning();
      const message = foundIn(await run('postcat', ['-e', '-q', queueId]));
      if (!message) return { message: null, isDone: false };
      if (change === 'retry' && message.queue === 'hold') return { message, isDone: false };
      const isDone = await changeMessage(must, change, queueId, message.queue);
      return isDone ? { message, isDone } : { message: null, isDone };
    },
    'queue.flush': async () => {
      await requireRunning();
      await must('postqueue', ['-f']);
      return {};
    },
  };
}

/** @returns false where it left the queue since it was found */
async function changeMessage(must: Run, change: QueueChange, queueId: string, queue: QueueName): Promise<boolean> {
  const changeQueue = async (option: string) => COUNT_OF_ONE.test((await must('postsuper', [option, queueId])).stderr);
  switch (change) {
    case 'hold':
      return queue === 'hold' || changeQueue('-h');
    case 'release':
      if (queue !== 'hold') return true;
      if (!(await changeQueue('-H'))) return false;
      break;
    case 'delete':
      return changeQueue('-d');
    case 'retry':
      break;
  }
  // What is released would wait for the next run of the queue.
  await must('postqueue', ['-i', queueId]);
  return true;
}

// "postsuper: Deleted: 1 message"; its exit code says nothing of this.
const COUNT_OF_ONE = /: 1 message$/m;

/** Reads what `postcat -e -q` says of one message. */
function foundIn({ exitCode, stdout, stderr }: Result): QueueChanged['message'] {
  if (exitCode !== 0 && stderr.includes('No such file or directory')) return null;
  const queue = /^\*\*\* ENVELOPE RECORDS (\w+)\//m.exec(stdout)?.[1] as QueueName | undefined;
  if (exitCode !== 0 || !queue) throw new Error(`postcat: ${stderr.trim()}`);
  const recipients = [...stdout.matchAll(/^recipient: (.*)$/gm)].map(([, address = '']) => address);
  const from = senderOf(/^sender: (.*)$/m.exec(stdout)?.[1] ?? '');
  return { queue, from, recipients: firstRecipients(recipients), recipientCount: recipients.length };
}

/**
 * However many ask, the queue is read by one process at a time. Who asks while it is being read waits for the next
 * reading, which serves all who wait, so that everybody gets what was there after asking.
 */
function oneReadingForAll(read: (queries: QueueQuery[]) => Promise<QueuePage[]>) {
  let reading: Promise<unknown> = Promise.resolve();
  let next: { queries: QueueQuery[]; pages: Promise<QueuePage[]> } | null = null;
  const plan = () => {
    const queries: QueueQuery[] = [];
    const start = async () => {
      await setTimeout(GATHERING_MS);
      next = null;
      return read(queries);
    };
    const pages = reading.then(start, start);
    reading = pages;
    return { queries, pages };
  };
  return async (query: QueueQuery): Promise<QueuePage> => {
    next ??= plan();
    const place = next.queries.push(query) - 1;
    return (await next.pages)[place] as QueuePage;
  };
}

async function list(configFolder: string, queries: QueueQuery[]): Promise<QueuePage[]> {
  const child = spawn('postqueue', ['-c', configFolder, '-j'], {
    env: childEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: READ_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, STDERR_CHARS);
  });
  const ended = once(child, 'close');
  // Who waits for it hears of a failure; nobody waits yet where the lines fail first.
  ended.catch(() => {});
  try {
    const pages = await readPages(createInterface({ input: child.stdout }), queries);
    const [exitCode, signal] = await ended;
    if (exitCode !== 0) throw new Error(`postqueue -j: ${signal ?? exitCode} ${stderr.trim()}`);
    return pages;
  } finally {
    child.kill('SIGKILL');
  }
}

type Result = { exitCode: number; stdout: string; stderr: string };
type Run = (command: string, args: string[]) => Promise<Result>;

async function runPostfix(command: string, args: string[]): Promise<Result> {
  try {
    const options = { env: childEnvironment(), timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
    return { exitCode: 0, ...(await promisify(execFile)(command, args, { ...options, killSignal: 'SIGKILL' })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, stdout, stderr };
  }
}

/** The agent's own settings are nothing that Postfix's commands need. */
function childEnvironment(): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C' };
}
