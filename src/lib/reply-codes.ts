type Rule = { pattern: RegExp; title: (host: string) => string; text: string };

/** What an enhanced status code (RFC 3463) of the other side means for an admin; null for one that says too little. */
export function explainStatusCode(code: string | null, host: string): { title: string; text: string } | null {
  const rule = RULES.find(({ pattern }) => pattern.test(code ?? ''));
  return rule ? { title: rule.title(host), text: rule.text } : null;
}

const RULES: Rule[] = [
  {
    pattern: /^5\.1\.[0123]$/,
    title: (host) => `${host} has no such mailbox`,
    text: 'Their server refused the address itself. Sending again will bounce again: ask for the right address.',
  },
  {
    pattern: /^[45]\.1\.8$|^5\.1\.7$/,
    title: (host) => `${host} does not accept the sender`,
    text: 'Their server could not verify the address it came from. Check that the domain’s own records are published.',
  },
  {
    pattern: /^[45]\.2\.2$/,
    title: () => 'The mailbox is full',
    text: 'The address is right, but its owner has no room. It can work later, once they have made some.',
  },
  {
    pattern: /^[45]\.3\.4$|^5\.2\.3$/,
    title: (host) => `The message is too large for ${host}`,
    text: 'Their server takes smaller messages only. Send it without the attachments, or with a link to them.',
  },
  {
    pattern: /^[45]\.4\.\d$/,
    title: (host) => `${host} could not be reached`,
    text: 'No server of theirs answered. Check the spelling of the domain; if it is right, the fault is on their side.',
  },
  {
    pattern: /^5\.7\.\d+$/,
    title: (host) => `${host} refused it as a matter of policy`,
    text: 'Their filter turned it away: reputation, SPF, DKIM or content. The reply often names which.',
  },
  {
    pattern: /^4\.7\.\d+$/,
    title: (host) => `${host} asks to wait`,
    text: 'Greylisting or a rate limit. The mail server tries again by itself; nothing needs doing.',
  },
];
