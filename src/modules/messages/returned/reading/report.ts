/** The part of a report about one recipient (RFC 3464, 2.3). */
export type RecipientReport = {
  action: 'failed' | 'delayed' | 'relayed';
  /** The address that the message was sent to, and the one that it failed for, as far as the report has them. */
  addresses: string[];
  smtpCode: number | null;
  enhancedCode: string | null;
  response: string;
  remoteMta: string | null;
};

export type ReturnedMail =
  /** `isByServer` says that a mail server wrote it, whatever its envelope sender. */
  | { kind: 'bounce'; reportingMta: string | null; recipients: RecipientReport[]; isByServer: boolean }
  /** A recipient's complaint (RFC 5965), and what it shows of the message: bounce addresses, which may be forged, and recipients. */
  | { kind: 'complaint'; type: 'abuse' | 'opt-out'; senders: string[]; recipients: string[] }
  /** A confirmation, of which nothing follows. */
  | { kind: 'nothing' }
  /** An automatic answer, such as one of somebody on holiday. */
  | { kind: 'answer' }
  | { kind: 'unreadable' };

export const LIMITS = {
  /** Reports come before the returned message, which may be long. */
  bytes: 512 * 1024,
  statusBytes: 128 * 1024,
  recipients: 100,
  /** Depth of multiparts, for gateways that put a report into another one. */
  depth: 4,
  response: 1_000,
  /** Characters of a server's name. */
  server: 255,
} as const;
