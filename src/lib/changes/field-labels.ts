/** Names of fields that aren't their own words. */
const WORDS: Record<string, string> = {
  allowed_ips: 'allowed IP addresses',
  default_quota_bytes: 'default quota',
  destination: 'destinations',
  domain_hourly: 'hourly limit per domain',
  email: 'address',
  expires_at: 'expiry',
  hourly_send_limit: 'hourly limit',
  mailbox_hourly: 'hourly limit per mailbox',
  max_aliases: 'alias limit',
  max_mailboxes: 'mailbox limit',
  mta_sts_mode: 'MTA-STS mode',
  other_mx_hosts: 'other MX hosts',
  quota_bytes: 'quota',
  report_mailbox_id: 'report mailbox',
  totp_enabled: 'two-factor authentication',
  url: 'URL',
};

/**
 * Returns a field of the API in words, as they are within a sentence: `default_quota_bytes` is the "default quota", and
 * `domain_ids` are the "domains". Settings, which are in capitals, keep their name.
 */
export function fieldWords(field: string): string {
  const words = WORDS[field];
  if (words !== undefined || field === field.toUpperCase()) return words ?? field;
  return field
    .replace(/_ids$/, 's')
    .replace(/_(id|bytes|at)$/, '')
    .replaceAll('_', ' ')
    .replace(/\b(dkim|dns|ip|totp|url)\b/g, (word) => word.toUpperCase());
}

/** Returns the words of a field as they begin a line. The switch that most records have is their state. */
export function fieldLabel(field: string): string {
  if (field === 'active') return 'State';
  const words = fieldWords(field);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
