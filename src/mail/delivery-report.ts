import type { OutcomeCause } from '@/lib/mail/outcomes';

/** Outcome for one recipient of an outbound message, as reported by the mail server. */
export type DeliveryReport = {
  kind: 'delivered' | 'bounced' | 'deferred' | 'failed';
  /** At least one of these identifies the message: Message-ID, or queue id of the mail server. */
  messageId: string | null;
  queueId: string | null;
  recipient: string;
  /** Null if delivered. */
  cause: OutcomeCause | null;
  smtpCode: number | null;
  enhancedCode: string | null;
  response: string;
  remoteMta: string | null;
  /** Duration in seconds if the mail server reports it; otherwise computed from the message's row. */
  delaySeconds?: number;
  /** The same in every repetition of a report. */
  at: Date;
};

/** Resolves once the report is stored. Rejected reports are repeated, so it must be idempotent. */
export type OnReport = (report: DeliveryReport) => Promise<unknown>;
