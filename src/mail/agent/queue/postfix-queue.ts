import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isQueueId } from '@/lib/mail/queue-id';
import type { AgentHandlers, QueueChange, QueueChangeResult, QueueName, QueuePage, QueueQuery } from '../requests';
import { type FindAuthors, firstRecipients, readDeferred, readPages, senderOf } from './queue-page';
import { lifetimeOf, parseQueueSettings, type QueueSettings, TIME_SETTINGS, type Warn, withTimes } from './queue-times';

const READ_TIMEOUT_MS = 45_000;
// The console requests a page and the counts together; one read serves both.
const BATCHING_MS = 50;
const COMMAND_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const STDERR_CHARS = 2_000;

type QueueHandlers = Pick<AgentHandlers, 'queue.list' | 'queue.change' | 'queue.flush'>;

type QueueOptions = { configFolder: string; findAuthors: FindAuthors; warn: Warn };

/** The queue of the Postfix configured in a folder. Changes need root. */
export function createQueueHandlers(options: QueueOptions): QueueHandlers {
  const { configFolder, findAuthors } = options;
  const run = (command: string, args: string[]) => runPostfix(command, ['-c', configFolder, ...args]);
  const requireRunning = async () => {
    const { exitCode } = await run('postfix', ['status']);
    if (exitCode !== 0) throw new Error('Postfix is not running.');
  };
  const runOrThrow = async (command: string, args: string[]) => {
    const result = await run(command, args);
    if (result.exitCode !== 0) throw new Error(`${command} ${args.join(' ')}: ${result.stderr.trim()}`);
    return result;
  };
  const readQueue = shareReads((queries) => list(options, queries));

  return {
    'queue.list': async (query) => {
      await requireRunning();
      return readQueue(query);
    },
    'queue.change': async ({ change, queueId }) => {
      if (!isQueueId(queueId)) throw new Error('Invalid queue id.');
      await requireRunning();
      const message = parsePostcat(await run('postcat', ['-e', '-q', queueId]));
      if (!message) return { message: null, isDone: false };
      message.from = (await findAuthors([message.from])).get(message.from) ?? message.from;
      if (change === 'retry' && message.queue === 'hold') return { message, isDone: false };
      const isDone = await changeMessage(runOrThrow, change, queueId, message.queue);
      return isDone ? { message, isDone } : { message: null, isDone };
    },
    'queue.flush': async () => {
      await requireRunning();
      await runOrThrow('postqueue', ['-f']);
      return {};
    },
  };
}

// More would take longer than retrying the whole queue.
const MAX_SINGLE_RETRIES = 200;

/** Retries the deferred messages that have a recipient in one of these domains, or all deferred ones if those are many. */
export async function retryDeferred(configFolder: string, domains: ReadonlySet<string>): Promise<void> {
  const queueIds = await readQueueFiles(configFolder, (lines) => readDeferred(lines, domains));
  if (queueIds.length > MAX_SINGLE_RETRIES) await runPostfix('postqueue', ['-c', configFolder, '-f']);
  else for (const queueId of queueIds) await runPostfix('postqueue', ['-c', configFolder, '-i', queueId]);
}

/** @returns false if the message has left the queue meanwhile */
async function changeMessage(run: Run, change: QueueChange, queueId: string, queue: QueueName): Promise<boolean> {
  const changeQueue = async (option: string) => COUNT_OF_ONE.test((await run('postsuper', [option, queueId])).stderr);
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
  // A released message would wait for the next queue run.
  await run('postqueue', ['-i', queueId]);
  return true;
}

// "postsuper: Deleted: 1 message"; the exit code does not show this.
const COUNT_OF_ONE = /: 1 message$/m;

/** Reads one message with `postcat -e -q`. */
function parsePostcat({ exitCode, stdout, stderr }: Result): QueueChangeResult['message'] {
  if (exitCode !== 0 && stderr.includes('No such file or directory')) return null;
  const queue = /^\*\*\* ENVELOPE RECORDS (\w+)\//m.exec(stdout)?.[1] as QueueName | undefined;
  if (exitCode !== 0 || !queue) throw new Error(`postcat: ${stderr.trim()}`);
  const recipients = [...stdout.matchAll(/^recipient: (.*)$/gm)].map(([, address = '']) => address);
  const from = senderOf(/^sender: (.*)$/m.exec(stdout)?.[1] ?? '');
  return { queue, from, recipients: firstRecipients(recipients), recipientCount: recipients.length };
}

/**
 * The queue is read by one process at a time. Calls during a read wait for the next one, which serves all of them, so that
 * every caller gets the state after its call.
 */
function shareReads(read: (queries: QueueQuery[]) => Promise<QueuePage[]>) {
  let reading: Promise<unknown> = Promise.resolve();
  let next: { queries: QueueQuery[]; pages: Promise<QueuePage[]> } | null = null;
  const planRead = () => {
    const queries: QueueQuery[] = [];
    const start = async () => {
      await setTimeout(BATCHING_MS);
      next = null;
      return read(queries);
    };
    const pages = reading.then(start, start);
    reading = pages;
    return { queries, pages };
  };
  return async (query: QueueQuery): Promise<QueuePage> => {
    next ??= planRead();
    const index = next.queries.push(query) - 1;
    return (await next.pages)[index] as QueuePage;
  };
}

async function list({ configFolder, findAuthors, warn }: QueueOptions, queries: QueueQuery[]): Promise<QueuePage[]> {
  const settings = await readSettings(configFolder, warn);
  const ofSender = (sender: string) => (settings ? lifetimeOf(sender, settings) : null);
  const pages = await readQueueFiles(configFolder, (lines) =>
    readPages(lines, queries, { findAuthors, lifetimeOf: ofSender }),
  );
  if (!settings) return pages;
  return Promise.all(
    pages.map(async (page, index) => ({
      ...page,
      messages: queries[index]?.isSummary ? page.messages : await withTimes(page.messages, settings, warn),
    })),
  );
}

/** Returns null if they can't be read: the queue is shown without times then. */
async function readSettings(configFolder: string, warn: Warn): Promise<QueueSettings | null> {
  try {
    const { exitCode, stdout, stderr } = await runPostfix('postconf', ['-c', configFolder, '-x', ...TIME_SETTINGS]);
    if (exitCode !== 0) throw new Error(`postconf: ${stderr.trim()}`);
    return parseQueueSettings(stdout);
  } catch (error) {
    warn(error, 'reading the settings of the queue failed, it is listed without times');
    return null;
  }
}

/** Passes the lines of `postqueue -j` to `read`, as they arrive. */
async function readQueueFiles<Result>(
  configFolder: string,
  read: (lines: AsyncIterable<string>) => Promise<Result>,
): Promise<Result> {
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
  // Waiting callers get the error; there may be none yet if reading fails first.
  ended.catch(() => {});
  try {
    const result = await read(createInterface({ input: child.stdout }));
    const [exitCode, signal] = await ended;
    if (exitCode !== 0) throw new Error(`postqueue -j: ${signal ?? exitCode} ${stderr.trim()}`);
    return result;
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

/** The environment for Postfix's commands, without the agent's settings. */
function childEnvironment(): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C' };
}
