import { normalizeDomainName, parseAddress } from '@/lib/mail/address';
import { database, type Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { reserveBodyBudget } from '@/server/http/body/body-budget';
import { readBytes } from '@/server/http/body/read-body';
import type { WebHandler, WebRequest } from '@/server/http/fetch-adapter';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import { mailHostName } from '../dns/checking/facts';
import { autoconfigXml } from './autoconfig';
import { autodiscoverError, autodiscoverXml, isForOutlook, requestedAddress } from './autodiscover';
import { mobileconfig } from './mobileconfig';
import { MTA_STS_PATH, mtaStsPolicy, type PublishedDomain } from './mta-sts';

const MAX_BODY_BYTES = 16 * 1024;
/** How Outlook for Windows and phones asks where the XML is. */
const WITH_ADDRESS = /^(\/autodiscover\/autodiscover\.json)\/v1\.0\/([^/]{1,800})$/i;
const HOST_LABELS = /^(mta-sts|autoconfig|autodiscover)\./;
const CACHE_SECONDS = 300;

type Question = { request: WebRequest; url: URL; host: string };
type File = (question: Question) => Promise<Response>;

const FILES: Record<string, File> = {
  [MTA_STS_PATH]: serveMtaSts,
  '/mail/config-v1.1.xml': serveAutoconfig,
  '/.well-known/autoconfig/mail/config-v1.1.xml': serveAutoconfig,
  '/autodiscover/autodiscover.xml': serveAutodiscover,
  '/autodiscover/autodiscover.json': serveAutodiscoverUrl,
  '/mail/apple.mobileconfig': serveMobileconfig,
  '/.well-known/published-host': serveHostCheck,
};

/**
 * Returns the handler of a file for other servers and mail programs, served without an account and by the Host header. Host
 * names that exist for these files, such as `mta-sts.example.com`, serve nothing else. No file depends on which mailboxes exist.
 * @returns undefined for everything that the console and the API serve
 */
export function findPublishedHandler(host: string, pathname: string): WebHandler | undefined {
  const hostname = host.replace(/\.?(:\d+)?$/, '').toLowerCase();
  const lowerCase = pathname.toLowerCase();
  // Outlook writes this path in several ways.
  const file = FILES[lowerCase.startsWith('/autodiscover/') ? lowerCase.replace(WITH_ADDRESS, '$1') : pathname];
  const isOther = HOST_LABELS.test(hostname) && !isOwnHost(hostname);
  if (!file && !isOther) return undefined;
  return (request) => answer(file ?? notPublished, { request, url: new URL(request.url), host: hostname });
}

async function answer(file: File, question: Question): Promise<Response> {
  try {
    return await file(question);
  } catch (error) {
    if (error instanceof AppError) return plain(error.message, error.status);
    log.error({ error, host: question.host }, 'serving a published file failed');
    return plain('The file is temporarily unavailable.', 503);
  }
}

async function serveMtaSts({ host }: Question): Promise<Response> {
  const domain = host.startsWith('mta-sts.') ? await domainOf(host) : null;
  return domain ? cached(mtaStsPolicy(domain), 'text/plain; charset=utf-8') : notPublished();
}

async function serveAutoconfig({ url, host }: Question): Promise<Response> {
  const domain = await domainOf(host, parameter(url, 'emailaddress'));
  return domain ? cached(autoconfigXml(domain), 'application/xml; charset=utf-8') : notPublished();
}

async function serveAutodiscover({ request, host }: Question): Promise<Response> {
  const budget = reserveBodyBudget(request.headers.get('x-postroom-client-ip') ?? '');
  const body = await readBytes(request, MAX_BODY_BYTES, budget).finally(() => budget.release());
  const question = new TextDecoder().decode(body);
  const address = parseAddress(requestedAddress(question))?.address ?? null;
  const domain = await domainOf(host, address);
  if (!domain) return notPublished();
  const headers = { 'Content-Type': 'application/xml; charset=utf-8', 'Cache-Control': 'private, no-store' };
  const isAnswerable = isForOutlook(question);
  const answer = isAnswerable
    ? autodiscoverXml(domain, address)
    : autodiscoverError(address === null ? 600 : 601, new Date());
  return new Response(answer, { headers });
}

/** Newer versions of Outlook ask here where the XML is. */
async function serveAutodiscoverUrl({ url, host }: Question): Promise<Response> {
  const [, , inPath] = WITH_ADDRESS.exec(url.pathname) ?? [];
  const domain = await domainOf(host, inPath === undefined ? parameter(url, 'email') : decodeURIComponent(inPath));
  if (!domain) return notPublished();
  const protocol = parameter(url, 'protocol') ?? '';
  if (protocol.toLowerCase() !== 'autodiscoverv1') {
    const error = { ErrorCode: 'InvalidProtocol', ErrorMessage: 'Only AutodiscoverV1 is supported.' };
    return Response.json(error, { status: 400 });
  }
  const to = `https://autodiscover.${domain.name}/autodiscover/autodiscover.xml`;
  return cached(JSON.stringify({ Protocol: 'AutodiscoverV1', Url: to }), 'application/json; charset=utf-8');
}

async function serveMobileconfig({ url, host }: Question): Promise<Response> {
  const address = parseAddress(parameter(url, 'emailaddress'))?.address ?? null;
  const domain = await domainOf(host, address);
  if (!domain) return notPublished();
  const headers = {
    'Content-Type': 'application/x-apple-aspen-config',
    'Content-Disposition': `attachment; filename="${domain.name}.mobileconfig"`,
    'Cache-Control': 'private, no-store',
  };
  return new Response(mobileconfig(domain, address), { headers });
}

/** Lets a reverse proxy ask whether it may get a certificate for a host name: 200 or 404. */
async function serveHostCheck({ url }: Question): Promise<Response> {
  const asked = (url.searchParams.get('domain') ?? '').toLowerCase();
  const isPublished = HOST_LABELS.test(asked) && (await domainOf(asked)) !== null;
  return isPublished || isOwnHost(asked) ? plain('Served here.', 200) : notPublished();
}

/** The domain of the address if it names one, else of the host name. */
async function domainOf(host: string, address: string | null = null): Promise<PublishedDomain | null> {
  const name = parseAddress(address)?.domain ?? normalizeDomainName(host.replace(HOST_LABELS, ''));
  return name === null ? null : findPublishedDomain(database(), name);
}

function isOwnHost(host: string): boolean {
  return host === new URL(env().appUrl).hostname;
}

function parameter(url: URL, name: string): string | null {
  for (const [key, value] of url.searchParams) if (key.toLowerCase() === name) return value;
  return null;
}

async function notPublished(): Promise<Response> {
  return plain('Not found.', 404);
}

function cached(body: string, type: string): Response {
  return new Response(body, { headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${CACHE_SECONDS}` } });
}

function plain(text: string, status: number): Response {
  return new Response(`${text}\n`, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
}

/** A managed, active domain. Inactive domains publish nothing, like domains of others. */
async function findPublishedDomain(db: Tx, name: string): Promise<PublishedDomain | null> {
  const [domain, mailHost] = await Promise.all([
    db.domain.findFirst({
      where: { name, active: true },
      select: { name: true, mtaStsMode: true, otherMxHosts: true },
    }),
    mailHostName(db),
  ]);
  return domain && { ...domain, mailHost };
}
