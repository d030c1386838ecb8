import { type FindAuthors, readPages, senderOf } from '@/mail/agent/queue/queue-page';
import type { AgentHandlers } from '@/mail/agent/requests';

/** A message as `postqueue -j` lists it. */
export type QueueFile = {
  queue_name: 'deferred' | 'active' | 'incoming' | 'hold' | 'maildrop';
  queue_id: string;
  arrival_time: number;
  message_size: number;
  sender: string;
  recipients: { address: string; delay_reason?: string }[];
};

export const REFUSED =
  'host mx.far.example[192.0.2.7] said: 451 4.7.1 Greylisted, try again later (in reply to RCPT TO)';

/** A deferred message to one recipient, unless overridden. */
export function queueFile(over: Partial<QueueFile> & { queue_id: string }): QueueFile {
  return {
    queue_name: 'deferred',
    arrival_time: 1_795_265_007,
    message_size: 2_748,
    sender: 'orders@harbour.example',
    recipients: [{ address: 'ann@far.example', delay_reason: REFUSED }],
    ...over,
  };
}

type Queue = Pick<AgentHandlers, 'queue.list' | 'queue.change' | 'queue.flush'>;

/** Queue handlers of an agent with a queue in memory. A retried message leaves the queue. */
export function queueInMemory(files: QueueFile[], findAuthors: FindAuthors = async () => new Map()): Queue {
  const remove = (shouldRemove: (file: QueueFile) => boolean) =>
    files.splice(0, files.length, ...files.filter((file) => !shouldRemove(file)));
  return {
    'queue.list': async (query) => {
      const [page] = await readPages(linesOf(files), [query], { findAuthors });
      return page ?? { messages: [], counts: {} };
    },
    'queue.change': async ({ change, queueId }) => {
      const file = files.find(({ queue_id }) => queue_id === queueId);
      if (!file) return { message: null, isDone: false };
      const recipients = file.recipients.map(({ address }) => address);
      const message = {
        queue: file.queue_name,
        from: (await findAuthors([file.sender])).get(file.sender) ?? senderOf(file.sender),
        recipients,
        recipientCount: recipients.length,
      };
      if (change === 'retry' && file.queue_name === 'hold') return { message, isDone: false };
      if (change === 'hold') file.queue_name = 'hold';
      else if (change === 'release') file.queue_name = 'deferred';
      else remove((other) => other === file);
      return { message, isDone: true };
    },
    'queue.flush': async () => {
      remove(({ queue_name }) => queue_name !== 'hold');
      return {};
    },
  };
}

async function* linesOf(files: QueueFile[]): AsyncGenerator<string> {
  for (const file of files) yield JSON.stringify(file);
}
