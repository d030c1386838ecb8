import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddresses } from './client-address';
import { isApiUrl, type Refusal } from './refusal';

const MAX_TARGET_LENGTH = 8_192;
const OWN_HEADER_PREFIX = 'x-postroom-';
// Next's image optimizer would fetch our own URLs past this front; its error page is not one of our pages.
const CLOSED = /^\/(_next\/image|_global-error|_error|404|500)(?=[/?]|$)/;
const ACTION_HEADER = 'next-action';
const FORWARDED_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-port', 'x-forwarded-proto', 'forwarded'];
// Outlook posts what it asks, and mail programs unsubscribe by POST.
const POSTED = /^\/(?:autodiscover\/autodiscover\.xml|unsubscribe\/[\w-]+)(?=\?|$)/i;
// A browser sends these forms itself if their scripts haven't run.
const FORMS = /^\/(?:login|setup)(?=\?|$)/;
const PAGE_METHODS = ['GET', 'HEAD'];
const POST_METHODS = [...PAGE_METHODS, 'POST'];
const API_METHODS = [...POST_METHODS, 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const HSTS = 'Strict-Transport-Security';
const HOST = /^(\[[0-9a-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i;

const NO_PAGE = /^\/(api|_next\/static)\//;
const NO_PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

export type FrontOptions = { appUrl: string; addresses: ClientAddresses; isDev: boolean };

/**
 * The layer between the socket and the app: rejects requests that no valid client sends, stamps the client address, and
 * sets the security headers.
 */
export function createHttpFront({ appUrl, addresses, isDev }: FrontOptions) {
  const fixedHeaders = Object.entries(securityHeaders(appUrl));

  /** Next.js reads the nonce for its scripts from the request's policy. Responses of the API and files are no pages. */
  function policyFor({ url = '', headers }: IncomingMessage): string {
    if (NO_PAGE.test(url)) return NO_PAGE_POLICY;
    const policy = contentSecurityPolicy(randomBytes(16).toString('base64'), isDev);
    headers['content-security-policy'] = policy;
    return policy;
  }

  return {
    check: (request: IncomingMessage): Refusal | undefined => refusalOf(request, isDev),

    /** @returns the client address */
    stamp(request: IncomingMessage, response: ServerResponse): string {
      const ip = addresses.read(request);
      for (const name of Object.keys(request.headers)) {
        const isOurs = name.startsWith(OWN_HEADER_PREFIX) || name === ACTION_HEADER;
        if (isOurs || FORWARDED_HEADERS.includes(name)) delete request.headers[name];
      }
      request.headers['x-postroom-client-ip'] = ip;
      response.setHeader('Content-Security-Policy', policyFor(request));
      for (const [name, value] of fixedHeaders) response.setHeader(name, value);
      return ip;
    },

    /** A file that is published for a domain says nothing about the other pages of its host. */
    stampPublished: (response: ServerResponse) => response.removeHeader(HSTS),
  };
}

function refusalOf(
  { method = '', url = '', headers, rawHeaders }: IncomingMessage,
  isDev: boolean,
): Refusal | undefined {
  if (method === 'POST' && FORMS.test(url)) return { ...seeOther, headers: { Location: url } };
  const pageMethods = POSTED.test(url) ? POST_METHODS : PAGE_METHODS;
  const methods = isApiUrl(url) || isDev ? API_METHODS : pageMethods;
  if (!methods.includes(method)) return { ...notAllowed, headers: { Allow: methods.join(', ') } };
  if (url.length > MAX_TARGET_LENGTH) return tooLong;
  if (!url.startsWith('/') || !isDecodable(url)) return badTarget;
  if (headers.host !== undefined && headers.host !== '' && !HOST.test(headers.host)) return badHost;
  // Node.js keeps the first, a proxy before it may have read the last (RFC 9112, section 3.2).
  if (rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text)).length > 1) return badHost;
  if (/^[^?]*\/\//.test(url)) return isApiUrl(url) ? slashes : notFound;
  if (CLOSED.test(url)) return notFound;
  return undefined;
}

const notAllowed: Refusal = { status: 405, code: 'METHOD_NOT_ALLOWED', message: 'This method is not supported.' };
const seeOther: Refusal = { status: 303, code: 'METHOD_NOT_ALLOWED', message: 'Wait until the page is loaded.' };
const tooLong: Refusal = { status: 414, code: 'VALIDATION_ERROR', message: 'The request URL is too long.' };
const badTarget: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'The request URL is malformed.' };
const badHost: Refusal = { status: 400, code: 'VALIDATION_ERROR', message: 'The Host header is malformed.' };
const slashes: Refusal = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'Unknown endpoint. Write single slashes in the path.',
};
const notFound: Refusal = { status: 404, code: 'NOT_FOUND', message: 'Not found.' };

function isDecodable(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  try {
    const decoded = decodeURIComponent(path);
    const isPlain = ![...decoded].some((character) => character < ' ' || '\\\u007f'.includes(character));
    return isPlain && !decoded.split('/').some((segment) => segment === '.' || segment === '..');
  } catch {
    return false;
  }
}

function contentSecurityPolicy(nonce: string, isDev: boolean): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'${isDev ? " 'unsafe-eval'" : ''}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${isDev ? ' ws:' : ''}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function securityHeaders(appUrl: string): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Opener-Policy': 'same-origin',
    // Without subdomains: where APP_URL has none itself, they can be sites without TLS.
    ...(appUrl.startsWith('https:') ? { [HSTS]: 'max-age=31536000' } : {}),
  };
}
