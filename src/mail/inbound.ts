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
  /** Whether spam was marked and delivered, or blocked: it reached no mailbox. */
  spam: 'no' | 'delivered' | 'blocked';
  receivedAt: Date;
  /** Mailboxes whose delivery was reported earlier. */
  reportedMailboxes?: readonly string[];
  /** Envelope addresses that were part of an earlier report. */
  reportedAddresses?: readonly string[];
};

/** What an MTA asks and tells about inbound mail. Both reject while they cannot answer, and the sender tries again. */
export type InboundPort = {
  resolve: (address: string) => Promise<Resolution>;
  /** Resolves once the message is recorded: only then may its sender be told so. */
  receive: (mail: InboundMail) => Promise<void>;
};
