import { explainReply } from './reply-codes';

/** `brief` is what is wrong, then who says so: for a column that can cut the end. */
type Explanation = { title: string; brief: string; text: string };
type Rule = { pattern: RegExp; title: (host: string) => string; brief?: (host: string) => string; text: string };

const WILL_RETRY = 'Your mail server retries automatically.';

/** By the text that Postfix logs; the first match applies. */
const RULES: Rule[] = [
  {
    pattern:
      /connect to [^:]*\/[^:]*: |mail transport unavailable|unknown mail transport error|Internal error occurred/,
    title: () => 'Part of your mail server is not responding',
    text: 'On the mail server’s host, check which service is down: Postfix, Dovecot, Rspamd or Redis. The message stays in the queue until the service is back.',
  },
  {
    pattern: /TLS|certificate|STARTTLS/,
    title: (host) => `TLS connection to ${host} failed`,
    text: `The receiving server’s certificate or TLS version does not meet your mail server’s requirements. ${WILL_RETRY}`,
  },
  {
    pattern: /Host or domain name not found|Name service error|unable to look up host|Host not found/,
    title: (host) => `No mail server found for ${host}`,
    text: 'Check the spelling of the domain. If many domains fail this way, DNS lookups on the mail server’s host are not working.',
  },
  {
    pattern: /Connection refused/,
    title: (host) => `${host} refused the connection`,
    brief: (host) => `Connection refused by ${host}`,
    text: `The host is up, but no mail server accepts connections there. ${WILL_RETRY}`,
  },
  {
    pattern: /timed out|Network is unreachable|No route to host|lost connection/,
    title: (host) => `${host} could not be reached`,
    brief: (host) => `No answer from ${host}`,
    text: `The server did not respond in time. If this happens for every domain, outbound port 25 may be blocked. ${WILL_RETRY}`,
  },
];

/** Explains Postfix's reason for a deferral to an admin; null before the first attempt. */
export function explainDeferral(reason: string | null, address: string, isOwnMailbox = false): Explanation | null {
  if (reason === null) return null;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const host = HOST.exec(reason)?.[1] ?? domain;
  if (reason.startsWith('SASL authentication failed')) return signInRefused(host);
  const [, code, enhanced = null] = REPLY.exec(reason) ?? [];
  if (code) {
    // A relay's reply is not that of the recipient's domain.
    const replier = host === domain || host.endsWith(`.${domain}`) ? domain : host;
    return explainReply({ code: enhanced, text: reason }, replier, isOwnMailbox) ?? deferred(replier);
  }
  const rule = RULES.find(({ pattern }) => pattern.test(reason));
  if (!rule) return deferred(domain);
  const title = rule.title(host);
  return { title, brief: rule.brief?.(host) ?? title, text: rule.text };
}

/** Leaves out that the recipient's domain says so, whose address is beside it. */
export function withoutDomain(brief: string, address: string): string {
  const end = ` ${address.slice(address.lastIndexOf('@') + 1)}`;
  return brief.endsWith(end) ? brief.slice(0, -end.length).replace(/,? \w+$/, '') : brief;
}

const REPLY = / said: (\d{3})[ -](?:#?(\d\.\d{1,3}\.\d{1,3}))?/;
const HOST = /(?:connect to|with|name=|host|server) ?([\w.-]+\w)/;

function signInRefused(host: string): Explanation {
  return {
    title: `${host} rejected the sign-in`,
    brief: `Sign-in rejected by ${host}`,
    text: 'The user name or password for this relay is wrong or has expired. Update them on the mail server.',
  };
}

function deferred(host: string): Explanation {
  return {
    title: `${host} deferred the message`,
    brief: `Temporary error, says ${host}`,
    text: `The receiving server did not accept the message yet. Its reply says why. ${WILL_RETRY}`,
  };
}
