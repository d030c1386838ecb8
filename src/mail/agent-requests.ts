/** What the app may ask of the agent beside the mail server, by name: all of it, and nothing else, is ever done there. */
export type AgentRequests = {
  'queue.list': { input: QueueQuery; output: QueuePage };
  'queue.change': { input: { change: QueueChange; queueId: string }; output: QueueChanged };
  /** Every deferred message is tried at once. */
  'queue.flush': { input: Record<string, never>; output: Record<string, never> };
  'sieve.check': { input: { script: string }; output: { errors: SieveError[] } };
  'services.list': { input: Record<string, never>; output: { services: { service: MailService; isUp: boolean }[] } };
  /** It reads its configuration anew; `isDone` is false where it does that only when it starts. */
  'services.reload': { input: { service: MailService }; output: { isDone: boolean } };
  'services.restart': { input: { service: MailService }; output: Record<string, never> };
};

export const MAIL_SERVICES = ['redis', 'rspamd', 'dovecot', 'postfix'] as const;
export type MailService = (typeof MAIL_SERVICES)[number];

export type AgentAction = keyof AgentRequests;

/** The agent's side of each. What one throws is told in the agent's log; the caller hears that it was not done. */
export type AgentHandlers = {
  [Action in AgentAction]: (input: AgentRequests[Action]['input']) => Promise<AgentRequests[Action]['output']>;
};

export type QueueChange = 'hold' | 'release' | 'retry' | 'delete';

export type QueueChanged = {
  /** As it was found; null where no message of that id is in the queue. */
  message: { queue: QueueName; from: string; recipients: string[]; recipientCount: number } | null;
  /** False where nothing was done: it is not there, or what is on hold was to be tried. */
  isDone: boolean;
};

/** The queues that Postfix lists. */
export type QueueName = 'deferred' | 'active' | 'incoming' | 'hold' | 'maildrop';

/** One page of the queue, by arrival and then by queue id. */
export type QueueQuery = {
  queue?: QueueName;
  /** Exact addresses, or where they begin with @ a domain; letter case does not count. `<>` is the null sender. */
  sender?: string;
  recipient?: string;
  order: 'asc' | 'desc';
  limit: number;
  /** Where the page before ended. */
  after?: { arrivedAt: string; queueId: string };
};

export type QueuePage = {
  /** At most one more than `limit`, so that it is known whether there is another page. */
  messages: QueuedMessage[];
  /** Of the whole queue, whatever was asked for. */
  counts: Partial<Record<QueueName, number>>;
};

export type QueuedMessage = {
  queueId: string;
  queue: QueueName;
  /** ISO 8601 UTC. */
  arrivedAt: string;
  sizeBytes: number;
  /** Empty for the null sender. */
  from: string;
  /** Those not delivered yet, and why; the first ones where there are many. */
  recipients: { address: string; reason: string | null }[];
  recipientCount: number;
};

export type SieveError = {
  /** Null where the compiler names no line. */
  line: number | null;
  message: string;
};
