type Rule = {
  pattern: RegExp;
  title: (host: string) => string;
  /** The cause, then the host that reported it, for a column that can cut the end. */
  brief: (host: string) => string;
  text: string;
  /** Replaces the text if the recipient is a mailbox of this mail server, where an admin can fix the cause. */
  ownText?: string;
  /** Whether the cause is at the sender's end, so that the same message can be sent once it is fixed. */
  isOurs?: boolean;
};

type Reply = { code: string | null; text: string | null };
type Explanation = { title: string; brief: string; text: string; isOurs: boolean };

/** Explains a receiving server's reply to an admin, by what it says or its enhanced status code (RFC 3463); null if both are unspecific. */
export function explainReply({ code, text }: Reply, host: string, isOwnMailbox = false): Explanation | null {
  const rule =
    TEXT_RULES.find(({ pattern }) => pattern.test(text ?? '')) ??
    CODE_RULES.find(({ pattern }) => pattern.test(code ?? ''));
  if (!rule) return null;
  const ownText = isOwnMailbox ? rule.ownText : undefined;
  return {
    title: rule.title(host),
    brief: rule.brief(host),
    text: ownText ?? rule.text,
    isOurs: rule.isOurs === true || ownText !== undefined,
  };
}

const TEXT_RULES: Rule[] = [
  {
    pattern:
      /spamhaus|spamcop|barracudacentral|sorbs|uceprotect|abusix|\b(?:dnsbl|rbl)\b|block(?:ed)?[ -]?list|black[ -]?list|blocked using|listed (?:by|in|on|at) /i,
    title: (host) => `${host} rejects your mail server: it is on a blocklist`,
    brief: (host) => `On a blocklist, says ${host}`,
    text: 'The reply names the list. Find out why your server is on it, such as a mailbox that sends spam, and ask the list to remove its address. Then resend. Other addresses at this provider are rejected too.',
    isOurs: true,
  },
  {
    pattern: /\b(?:ptr|rdns)\b|reverse[ -](?:dns|host|lookup|mapping|record)|find your (?:reverse )?host ?name/i,
    title: (host) => `${host} requires a PTR record of your mail server`,
    brief: (host) => `PTR record required by ${host}`,
    text: 'The IP address of your mail server must have a PTR record with its name, which must resolve to that address. Your hosting provider sets it. Then resend.',
    isOurs: true,
  },
];

const CODE_RULES: Rule[] = [
  {
    pattern: /^5\.1\.[0123]$/,
    title: (host) => `${host} has no such mailbox`,
    brief: (host) => `No such mailbox at ${host}`,
    text: 'The receiving server rejected the address. Resending will bounce again: get the correct address, then send to it.',
  },
  {
    pattern: /^[45]\.1\.8$|^5\.1\.7$/,
    title: (host) => `${host} rejected the sender address`,
    brief: (host) => `Sender address rejected by ${host}`,
    text: 'The receiving server could not verify the sender’s domain. Check that the domain’s DNS records are published.',
    isOurs: true,
  },
  {
    pattern: /^[45]\.2\.2$/,
    title: (host) => `${host} says the mailbox is full`,
    brief: (host) => `Mailbox full, says ${host}`,
    text: 'The address is correct, but the recipient’s mailbox has no space left. Delivery can succeed once they delete mail.',
    ownText:
      'It is a mailbox on your mail server. Raise its quota or ask its owner to delete mail. Delivery can succeed once it has space.',
  },
  {
    pattern: /^[45]\.3\.4$|^5\.2\.3$/,
    title: (host) => `The message is too large for ${host}`,
    brief: (host) => `Too large for ${host}`,
    text: 'The receiving server has a lower size limit. Send the message without attachments, or with links to them.',
  },
  {
    pattern: /^[45]\.4\.\d$/,
    title: (host) => `${host} could not be reached`,
    brief: (host) => `No answer from ${host}`,
    text: 'No mail server of this domain responded. Check the spelling of the domain. If it is correct, the problem is at the receiving end.',
  },
  {
    pattern: /^[45]\.7\.(?:2[0-46]|29)$/,
    title: (host) => `${host} could not authenticate the message`,
    brief: (host) => `Not authenticated, says ${host}`,
    text: 'The receiving server requires SPF, DKIM or DMARC to pass. Check the DNS records of the sender’s domain on its page, then resend.',
    isOurs: true,
  },
  {
    pattern: /^5\.7\.\d+$/,
    title: (host) => `${host} rejected the message by policy`,
    brief: (host) => `Rejected by the policy of ${host}`,
    text: 'The reply says why: usually sender reputation, SPF, DKIM or content. Check the domain’s DNS records and the message, then resend.',
    isOurs: true,
  },
  {
    pattern: /^4\.7\.\d+$/,
    title: (host) => `${host} asked to retry later`,
    brief: (host) => `Asked to retry later by ${host}`,
    text: 'Usually greylisting or a rate limit. Your mail server retries automatically; no action is needed.',
  },
];
