/** Where mail for one address goes: to mailboxes here, which have a domain of ours, or elsewhere. */
export type Route = {
  address: string;
  domainId: string;
  destinations: { address: string; domainId: string | null }[];
};

export type Resolution = ({ verdict: 'accepted' } & Route) | { verdict: 'refused'; reason: RefusalReason };

export type RefusalReason = 'not_an_address' | 'not_managed' | 'inactive_domain' | 'no_such_user';

/** What a spam filter says of a message. */
export type Verdict = { score: number; action: string };

/** A message that came in by SMTP. */
export type InboundMail = {
  queueId: string;
  /** Empty for the null sender. */
  mailFrom: string;
  routes: Route[];
  sizeBytes: number;
  /** The header as it came, without the body, and cut if it is very long. */
  header: Uint8Array;
  /** The message as it came. Each call reads it anew. */
  read: () => Promise<Uint8Array>;
  verdict: Verdict;
  /** Spam is marked and delivered, or kept from the mailboxes. */
  spam: 'no' | 'delivered' | 'kept';
  receivedAt: Date;
  /** Mailboxes that it reached before, of which is told already. */
  reachedBefore?: readonly string[];
  /** Addresses of its envelope that led to any of it before. */
  addressedBefore?: readonly string[];
};

/** What an MTA asks and tells about inbound mail. Both reject while they cannot answer, and the sender tries again. */
export type InboundPort = {
  resolve: (address: string) => Promise<Resolution>;
  /** Resolves once the message is recorded: only then may its sender be told so. */
  receive: (mail: InboundMail) => Promise<void>;
};
