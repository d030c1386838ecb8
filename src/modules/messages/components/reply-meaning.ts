import type { Message } from '../schema';

export type Meaning = { title: string; text: string; reply: string | null; resend: 'again' | 'elsewhere' | null };

type Recipient = Message['recipients'][number];
type Rule = { pattern: RegExp; title: (host: string) => string; text: string };

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

export function meaningOf(message: Message): Meaning | null {
  if (message.status === 'uncertain') {
    return {
      title: 'It is not known whether this was sent',
      text: 'The connection to the mail server broke after the message was handed over. Do not send it again before this is settled, or it may arrive twice.',
      reply: null,
      resend: null,
    };
  }
  const worst = worstOf(message.recipients);
  if (!worst) return null;
  if (worst.status === 'failed') {
    return message.events.some(({ type }) => type === 'refused') ? ownRefusal(worst) : givenUp(worst);
  }
  const rule = RULES.find(({ pattern }) => pattern.test(worst.enhanced_code ?? ''));
  const host = worst.address.slice(worst.address.lastIndexOf('@') + 1);
  const { title, text } = rule ? { title: rule.title(host), text: rule.text } : plainMeaning(worst, host);
  return { title, text, reply: worst.response, resend: worst.status === 'deferred' ? null : 'elsewhere' };
}

function ownRefusal({ smtp_code: code, response }: Recipient): Meaning {
  const isPassing = code !== null && code < 500;
  return {
    title: 'Your own mail server did not take it',
    text: isPassing
      ? 'The message never left. The reply below names a passing trouble: send it again once that is over.'
      : 'The message never left. The reply below says why; what it names has to be mended in the message or on that server.',
    reply: response,
    resend: 'again',
  };
}

function givenUp({ response }: Recipient): Meaning {
  return {
    title: 'Your mail server gave up',
    text: 'It tried as long as it is told to. The reply below is the last one it got; send it again once the cause is mended.',
    reply: response,
    resend: 'again',
  };
}

function worstOf(recipients: Recipient[]): Recipient | undefined {
  return (['bounced', 'failed', 'deferred'] as const)
    .map((status) => recipients.find((recipient) => recipient.status === status))
    .find((recipient) => recipient !== undefined);
}

function plainMeaning({ status }: Recipient, host: string): { title: string; text: string } {
  if (status === 'deferred') {
    return {
      title: `${host} puts it off`,
      text: 'Their server did not take it yet. The mail server tries again by itself; nothing needs doing.',
    };
  }
  return {
    title: `${host} refused it`,
    text: 'Their server turned the message away for good. The reply below is in their own words.',
  };
}
