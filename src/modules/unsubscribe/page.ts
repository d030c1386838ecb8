import { createHash } from 'node:crypto';
import type { Recipient } from './service';
import { type Language, textsIn } from './texts';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto 0;padding:0 1rem;color:#1a1a1a;background:#fff;' +
  'overflow-wrap:anywhere}button{font:inherit;padding:.5rem 1rem;cursor:pointer}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#111}}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  Vary: 'Accept-Language',
};

/** The page of a link: whether its owner gets the list, and a form to change that, which needs no script. */
export function subscriptionPage(recipient: Recipient, isUnsubscribed: boolean, language: Language): Response {
  const { title, ask, done, unsubscribe, resubscribe } = textsIn(language);
  const names = { email: recipient.email, list: recipient.list, domain: recipient.domain.name };
  const [text, field, button] = isUnsubscribed
    ? [done(names), 'Subscribe', resubscribe]
    : [ask(names), 'List-Unsubscribe', unsubscribe];
  const form = `<form method="post"><button name="${field}" value="One-Click">${htmlText(button)}</button></form>`;
  return page({ language, title, body: `<p>${htmlText(text)}</p>${form}` });
}

export function invalidLinkPage(language: Language): Response {
  const { invalidTitle: title, invalid } = textsIn(language);
  return page({ language, title, body: `<p>${htmlText(invalid)}</p>`, status: 404 });
}

export function unavailablePage(language: Language): Response {
  const { title, unavailable } = textsIn(language);
  return page({ language, title, body: `<p>${htmlText(unavailable)}</p>`, status: 503 });
}

type Content = { language: Language; title: string; body: string; status?: number };

function page({ language, title, body, status = 200 }: Content): Response {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${htmlText(title)}</title>`;
  const html = `<!doctype html><html lang="${language}"><head>${head}<style>${STYLE}</style></head><body><main><h1>${htmlText(title)}</h1>${body}</main></body></html>`;
  return new Response(html, { status, headers: HEADERS });
}

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}
