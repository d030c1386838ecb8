import type { Relay, RelayResult } from '../../../deploy/mail/relay.mjs';

/** Every action that the app can request from the mail agent. The agent performs nothing else. */
export type AgentRequests = {
  'queue.list': { input: QueueQuery; output: QueuePage };
  'queue.change': { input: { change: QueueChange; queueId: string }; output: QueueChangeResult };
  /** Retries every deferred message immediately. */
  'queue.flush': { input: Record<string, never>; output: Record<string, never> };
  'sieve.check': { input: { script: string }; output: { errors: SieveError[] } };
  /** Connects to the relay without sending mail. Null if there is none. */
  'relay.test': { input: { from?: string; to?: string }; output: { host: string; result: RelayResult | null } };
};

export type AgentAction = keyof AgentRequests;

/** The agent's handlers. An error is logged by the agent; the caller learns only that the action failed. */
export type AgentHandlers = {
  [Action in AgentAction]: (input: AgentRequests[Action]['input']) => Promise<AgentRequests[Action]['output']>;
};

/** As in deploy/mail/relay.mjs, without the password. */
export type ShownRelay = Pick<Relay, 'destination' | 'user' | 'tls' | 'isTlsFromStart'>;

export type QueueChange = 'hold' | 'release' | 'retry' | 'delete';

export type QueueChangeResult = {
  /** The message before the change, `from` as in the listing; null if it isn't in the queue. */
  message: { queue: QueueName; from: string; recipients: string[]; recipientCount: number } | null;
  /** False if nothing was done: the message is gone, or it is on hold and was to be retried. */
  isDone: boolean;
};

/** The queues that Postfix lists. */
export type QueueName = 'deferred' | 'active' | 'incoming' | 'hold' | 'maildrop';

/** A page of the queue, by arrival time and then queue id. */
export type QueueQuery = {
  queue?: QueueName;
  /** Exact addresses, or `@domain`; case-insensitive. `<>` is the null sender, and an author finds messages with bounce addresses. */
  sender?: string;
  recipient?: string;
  order: 'asc' | 'desc';
  limit: number;
  /** Whether only the counts and the arrival of the messages are of interest. */
  isSummary?: boolean;
  /** The suspended senders, for a summary: their messages wait for no other cause. */
  suspended?: string[];
  /** Position where the previous page ended. */
  after?: { arrivedAt: string; queueId: string };
};

export type QueuePage = {
  /** Up to `limit` + 1 messages, to tell whether there is another page. */
  messages: QueuedMessage[];
  /** Counts of the whole queue, whatever the filters. */
  counts: Partial<Record<QueueName, number>>;
  /** Why the messages of the whole queue wait, for a summary. */
  causes?: QueueCause[];
};

/** Messages that wait for the same reason. A message counts for one cause. */
export type QueueCause = {
  /** The suspended sender of the messages, which is their cause. An agent of the version before names none. */
  sender?: string;
  /** An address, or `@domain` if the messages have different recipients there. Null for messages that were never tried. */
  recipient: string | null;
  /** The reason of one of them, for this recipient. */
  reason: string | null;
  count: number;
  /** ISO 8601 UTC. */
  oldestAt: string;
  /** When the first of them is given up. ISO 8601 UTC; null or missing if it isn't known. */
  expiresAt?: string | null;
};

export type QueuedMessage = {
  queueId: string;
  queue: QueueName;
  /** ISO 8601 UTC. */
  arrivedAt: string;
  sizeBytes: number;
  /** Empty for the null sender. The author, if the envelope sender is a bounce address. */
  from: string;
  /** Undelivered recipients with their reasons; only the first ones if there are many. */
  recipients: { address: string; reason: string | null }[];
  recipientCount: number;
  /** When Postfix next tries a deferred message. ISO 8601 UTC; null for others, or if it isn't known. */
  nextAttemptAt: string | null;
  /** When the message's lifetime in the queue ends. ISO 8601 UTC; null for one on hold, or if it isn't known. */
  expiresAt: string | null;
};

export type SieveError = {
  /** Null if the compiler names no line. */
  line: number | null;
  message: string;
};
