type Rule = { pattern: RegExp; title: (host: string) => string; text: string };

/** Explains the enhanced status code (RFC 3463) of a receiving server's reply to an admin; null for unspecific codes. */
export function explainStatusCode(code: string | null, host: string): { title: string; text: string } | null {
  const rule = RULES.find(({ pattern }) => pattern.test(code ?? ''));
  return rule ? { title: rule.title(host), text: rule.text } : null;
}

const RULES: Rule[] = [
  {
    pattern: /^5\.1\.[0123]$/,
    title: (host) => `${host} has no such mailbox`,
    text: 'The receiving server rejected the address. Resending will bounce again: get the correct address, then send to it.',
  },
  {
    pattern: /^[45]\.1\.8$|^5\.1\.7$/,
    title: (host) => `${host} rejected the sender address`,
    text: 'The receiving server could not verify the sender’s domain. Check that the domain’s DNS records are published.',
  },
  {
    pattern: /^[45]\.2\.2$/,
    title: () => 'The mailbox is full',
    text: 'The address is correct, but the recipient’s mailbox has no space left. Delivery can succeed once they delete mail.',
  },
  {
    pattern: /^[45]\.3\.4$|^5\.2\.3$/,
    title: (host) => `The message is too large for ${host}`,
    text: 'The receiving server has a lower size limit. Send the message without attachments, or with links to them.',
  },
  {
    pattern: /^[45]\.4\.\d$/,
    title: (host) => `${host} could not be reached`,
    text: 'No mail server of this domain responded. Check the spelling of the domain. If it is correct, the problem is at the receiving end.',
  },
  {
    pattern: /^[45]\.7\.(?:2[0-46]|29)$/,
    title: (host) => `${host} could not authenticate the message`,
    text: 'The receiving server requires SPF, DKIM or DMARC to pass. Check the DNS records of the sender’s domain on its page, then resend.',
  },
  {
    pattern: /^5\.7\.\d+$/,
    title: (host) => `${host} rejected the message by policy`,
    text: 'The reply says why: usually sender reputation, SPF, DKIM or content. Check the domain’s DNS records and the message, then resend.',
  },
  {
    pattern: /^4\.7\.\d+$/,
    title: (host) => `${host} asked to retry later`,
    text: 'Usually greylisting or a rate limit. Your mail server retries automatically; no action is needed.',
  },
];
