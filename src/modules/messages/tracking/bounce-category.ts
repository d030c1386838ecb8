import { type BounceCategory, type OutcomeCause, UNREPLIED_CAUSES } from '@/lib/mail/outcomes';

/** The `reason` of a failure: its cause if the message got no reply or outlasted it, else the category of the reply. */
export function failureReason(cause: OutcomeCause | null, enhancedCode: string | null): FailureReason {
  return UNREPLIED_CAUSES.find((each) => each === cause) ?? bounceCategory(enhancedCode);
}

type FailureReason = (typeof UNREPLIED_CAUSES)[number] | BounceCategory;

/** The `category` of a bounce, from its enhanced status code (RFC 3463). */
export function bounceCategory(enhancedCode: string | null): BounceCategory {
  return CATEGORIES.find(([pattern]) => pattern.test(enhancedCode ?? ''))?.[1] ?? 'other';
}

const CATEGORIES: [RegExp, BounceCategory][] = [
  [/^[45]\.1\.[78]$/, 'sender_rejected'],
  [/^[45]\.1\.\d+$/, 'invalid_recipient'],
  [/^[45]\.2\.1$/, 'mailbox_disabled'],
  [/^[45]\.2\.2$/, 'mailbox_full'],
  [/^[45]\.(2\.3|3\.4)$/, 'message_too_large'],
  [/^[45]\.3\.\d+$/, 'remote_system'],
  [/^[45]\.4\.7$/, 'expired'],
  [/^[45]\.4\.\d+$/, 'unreachable'],
  [/^[45]\.6\.\d+$/, 'content'],
  [/^[45]\.7\.\d+$/, 'policy'],
];
