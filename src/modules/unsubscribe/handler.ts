import { kickDeliveries } from '@/modules/webhooks/service';
import { systemClock } from '@/server/clock';
import { database } from '@/server/db';
import { AppError } from '@/server/errors';
import { reserveBodyBudget } from '@/server/http/body/body-budget';
import { readBytes } from '@/server/http/body/read-body';
import type { WebHandler, WebRequest } from '@/server/http/fetch-adapter';
import { log } from '@/server/log';
import { invalidLinkPage, subscriptionPage, unavailablePage } from './page';
import { findRecipient, hasUnsubscribed, resubscribe, unsubscribe } from './service';
import { preferredLanguage } from './texts';

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
