/** Why an address gets no mail, in the order of the database. If several apply, the first one is given. */
export const SUPPRESSION_REASONS = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const;
type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export const SUPPRESSION_LABELS: Record<SuppressionReason, string> = {
  bounce: 'Bounced',
  complaint: 'Complained',
  unsubscribe: 'Unsubscribed',
  manual: 'Added by hand',
};

/** Returns what suppressions compare of a plain address: lower case, without the tag, which is what follows a `+`. */
export function suppressionAddress(address: string): string {
  const lower = address.toLowerCase();
  const at = lower.lastIndexOf('@');
  const tag = lower.indexOf('+');
  return tag > 0 && tag < at ? lower.slice(0, tag) + lower.slice(at) : lower;
}

/** Whether an address has a tag, without which its server may know it. */
export function hasTag(address: string): boolean {
  return suppressionAddress(address) !== address.toLowerCase();
}

/** The name of a mailing list of a domain. */
export const LIST_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const LIST_NAME_ERROR = 'Use up to 63 lower-case letters, digits and hyphens, such as newsletter.';
