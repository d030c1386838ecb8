import { explainStatusCode } from './reply-codes';

type Explanation = { title: string; text: string };
type Rule = { pattern: RegExp; title: (host: string) => string; text: string };

const WILL_RETRY = 'The mail server tries again by itself.';

/** By Postfix's own words, the first that fits. */
const RULES: Rule[] = [
  {
    pattern:
      /connect to [^:]*\/[^:]*: |mail transport unavailable|unknown mail transport error|Internal error occurred/,
    title: () => 'A part of your own mail server does not answer',
    text: 'It runs on the mail server’s host: look there at which of the four is down. The mail is safe meanwhile.',
  },
  {
    pattern: /TLS|certificate|STARTTLS/,
    title: (host) => `No secure connection to ${host}`,
    text: `Their certificate or their TLS does not fit what is asked of them. ${WILL_RETRY}`,
  },
  {
    pattern: /Host or domain name not found|Name service error|unable to look up host|Host not found/,
    title: (host) => `No mail server is found for ${host}`,
    text: 'Check the spelling of the domain. If many domains fail like this, the mail server’s own DNS does not answer.',
  },
  {
    pattern: /Connection refused/,
    title: (host) => `${host} takes no connection`,
    text: `Their host is up, but no mail server answers there. ${WILL_RETRY}`,
  },
  {
    pattern: /timed out|Network is unreachable|No route to host|lost connection/,
    title: (host) => `${host} could not be reached`,
    text: `Nothing answered in time. If this is so for every domain, port 25 may be closed on the way out. ${WILL_RETRY}`,
  },
];

/** What the reason that Postfix gives means for who reads it at night; null before the first attempt. */
export function explainDeferral(reason: string | null, address: string): Explanation | null {
  if (reason === null) return null;
  const domain = address.slice(address.lastIndexOf('@') + 1);
  const host = HOST.exec(reason)?.[1] ?? domain;
  if (reason.startsWith('SASL authentication failed')) return signInRefused(host);
  const [, code, enhanced = null] = REPLY.exec(reason) ?? [];
  if (code) return explainStatusCode(enhanced, domain) ?? deferred(domain);
  const rule = RULES.find(({ pattern }) => pattern.test(reason));
  return rule ? { title: rule.title(host), text: rule.text } : deferred(domain);
}

const REPLY = / said: (\d{3})[ -](?:#?(\d\.\d{1,3}\.\d{1,3}))?/;
const HOST = /(?:connect to|with|name=|host|server) ?([\w.-]+\w)/;

function signInRefused(host: string): Explanation {
  return {
    title: `${host} does not take the sign-in`,
    text: 'The user name or password for this relay is wrong or has expired.',
  };
}

function deferred(host: string): Explanation {
  return {
    title: `${host} puts it off`,
    text: `Their server did not take it yet; the reply is in their own words. ${WILL_RETRY}`,
  };
}
