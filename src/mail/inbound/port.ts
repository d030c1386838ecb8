/** Destinations of one address: local mailboxes, which have a managed domain, or external addresses. */
export type ResolvedAddress = {
  address: string;
  domainId: string;
  destinations: Destination[];
};

type Destination = {
  address: string;
  domainId: string | null;
  /** For an address of reports that no mailbox has: whether something else has stored the report already. */
  reports?: 'unread' | 'stored';
};

export type Resolution = ({ isAccepted: true } & ResolvedAddress) | { isAccepted: false; reason: RefusalReason };

export type RefusalReason = 'not_an_address' | 'not_managed' | 'inactive_domain' | 'no_such_user';

/** A spam filter's verdict. */
export type SpamVerdict = { score: number; action: string };

/** A message received by SMTP. */
export type InboundMail = {
  queueId: string;
  /** Empty for the null sender. */
  mailFrom: string;
  resolved: ResolvedAddress[];
  sizeBytes: number;
  /** The raw header, truncated if very long. */
  header: Uint8Array;
  /** The raw message. Each call reads it again. */
  read: () => Promise<Uint8Array>;
  /** Null if there is no copy of the whole message, where `read` gives what there is. Unset: `read` gives all of it. */
  readWhole?: () => Promise<Uint8Array | null>;
  verdict: SpamVerdict;
  /** The sender's domain, if DMARC, DKIM or SPF confirm one; null: none. Unset: the header says so. */
  authenticatedDomain?: string | null;
  /** Whether spam was marked and delivered, or blocked: it reached no mailbox. */
  spam: 'no' | 'delivered' | 'blocked';
  receivedAt: Date;
  /** Mailboxes whose delivery was reported earlier. */
  reportedMailboxes?: readonly string[];
  /** Envelope addresses that were part of an earlier report. */
  reportedAddresses?: readonly string[];
};

/** How a mail server resolves and reports inbound mail. Both reject while unavailable; the sender retries. */
export type InboundPort = {
  resolve: (address: string) => Promise<Resolution>;
  /** Resolves once the message is recorded. Only then may it be accepted. */
  receive: (mail: InboundMail) => Promise<void>;
};
