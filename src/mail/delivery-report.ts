/** What became of one recipient of an outbound message, as the MTA that has it tells. */
export type DeliveryReport = {
  kind: 'delivered' | 'bounced' | 'deferred' | 'failed';
  /** At least one of the two names the message: the Message-ID of its header, the queue id of the MTA. */
  messageId: string | null;
  queueId: string | null;
  recipient: string;
  smtpCode: number | null;
  enhancedCode: string | null;
  response: string;
  remoteMta: string | null;
  /** How long it took, where the MTA says so; else it is reckoned from the message's row. */
  delaySeconds?: number;
  /** The same in every repetition of a report. */
  at: Date;
};

/** Resolves once the report is kept; a rejected one is repeated later, so that it has to be idempotent. */
export type OnReport = (report: DeliveryReport) => Promise<unknown>;
