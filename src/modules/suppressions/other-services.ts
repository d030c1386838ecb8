import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';

type Reason = (typeof SUPPRESSION_REASONS)[number];

/**
 * The names of the columns in the exports of other services: SendGrid, Postmark, Amazon SES, Resend, Mailgun, SparkPost and Klaviyo.
 */
export const COLUMN_SYNONYMS: Readonly<Record<string, string>> = {
  address: 'email',
  recipient: 'email',
  email_address: 'email',
  emailaddress: 'email',
  e_mail: 'email',
  suppression_reason: 'reason',
  suppressionreason: 'reason',
  origin: 'reason',
  source: 'reason',
  description: 'detail',
};

/** Postmark has `Origin` beside the reason: it says who added the address. */
export const SECONDARY_COLUMNS = ['origin', 'source'];

/** Columns that say when and how an address was added. Not those that name only some of the mail, or say that it isn't suppressed. */
export const IGNORED_COLUMNS = [
  ...[
    'created',
    'createdat',
    'updated',
    'updated_at',
    'updatedat',
    'last_update_time',
    'lastupdatetime',
    'last_event_at',
  ],
  ...['status', 'code', 'ip', 'source_id', 'timestamp'],
];

const REASON_WORDS: Readonly<Record<Reason, string>> = {
  bounce: 'bounce bounced hardbounce bouncerule invalid invalidemail',
  complaint: 'complaint complained spam spamcomplaint spamreport spamnotification',
  unsubscribe: 'unsubscribe unsubscribed unsub unsubscribelink listunsubscribe',
  manual: 'manual manualsuppression manualblock manuallyadded custom customer usersuppressed',
};

const REASONS = new Map(
  SUPPRESSION_REASONS.flatMap((reason) => REASON_WORDS[reason].split(' ').map((word) => [word, reason] as const)),
);

/** Returns the reason that a cell names, in the words of any of these services, or null. */
export function reasonNamed(text: string): Reason | null {
  return REASONS.get(text.toLowerCase().replace(/[\s_-]/g, '')) ?? null;
}
