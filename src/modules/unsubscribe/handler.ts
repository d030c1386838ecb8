import { createHash } from 'node:crypto';
import { kickDeliveries } from '@/modules/webhooks/service';
import { systemClock } from '@/server/clock';
import { database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { reserveBodyBudget } from '@/server/http/body/body-budget';
import { readBytes } from '@/server/http/body/read-body';
import type { WebHandler, WebRequest } from '@/server/http/fetch-adapter';
import { log } from '@/server/log';
import { findRecipient, hasUnsubscribed, type Recipient, resubscribe, unsubscribe } from './service';
import { type Language, preferredLanguage, textsIn } from './texts';

const PATH = /^\/unsubscribe\/([^/]+)$/;
const MAX_BODY_BYTES = 4 * 1024;
const METHODS = ['GET', 'HEAD', 'POST'];

/**
 * The page of a link to unsubscribe, without an account. GET changes nothing, since programs that scan mail follow links. POST
 * unsubscribes at once, as mail programs do (RFC 8058), and so does the page's button.
 * @returns undefined for other paths
 */
export function findUnsubscribeHandler(pathname: string): WebHandler | undefined {
  const token = PATH.exec(pathname)?.[1];
  return token === undefined ? undefined : (request) => answer(request, token);
}

async function answer(request: WebRequest, token: string): Promise<Response> {
  const language = preferredLanguage(request.headers.get('accept-language'));
  try {
    if (!METHODS.includes(request.method))
      return new Response(null, { status: 405, headers: { Allow: METHODS.join(', ') } });
    const recipient = await findRecipient(database(), token);
    if (!recipient) return invalidLinkPage(language);
    const now = systemClock.now();
    if (request.method === 'POST') {
      const isToSubscribe = await asksToSubscribe(request);
      await (isToSubscribe ? resubscribe : unsubscribe)(database(), recipient, now);
      kickDeliveries();
    }
    return subscriptionPage(recipient, await hasUnsubscribed(database(), recipient, now), language);
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return new Response(null, { status: error.status });
    log.error({ error }, 'unsubscribing failed');
    return unavailablePage(language);
  }
}

/** Any POST unsubscribes but that of the page's other button: mail programs send different bodies. */
async function asksToSubscribe(request: WebRequest): Promise<boolean> {
  const budget = reserveBodyBudget(request.headers.get('x-postroom-client-ip') ?? '');
  const body = await readBytes(request, MAX_BODY_BYTES, budget).finally(() => budget.release());
  return new URLSearchParams(new TextDecoder().decode(body)).has('Subscribe');
}

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
function subscriptionPage(recipient: Recipient, isUnsubscribed: boolean, language: Language): Response {
  const { title, ask, done, unsubscribe, resubscribe } = textsIn(language);
  const names = { email: recipient.email, list: recipient.list, domain: recipient.domain.name };
  const [text, field, button] = isUnsubscribed
    ? [done(names), 'Subscribe', resubscribe]
    : [ask(names), 'List-Unsubscribe', unsubscribe];
  const form = `<form method="post"><button name="${field}" value="One-Click">${htmlText(button)}</button></form>`;
  return page({ language, title, body: `<p>${htmlText(text)}</p>${form}` });
}

function invalidLinkPage(language: Language): Response {
  const { invalidTitle: title, invalid } = textsIn(language);
  return page({ language, title, body: `<p>${htmlText(invalid)}</p>`, status: 404 });
}

function unavailablePage(language: Language): Response {
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
