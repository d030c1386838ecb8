import { OutboundFailure } from '../failure';

export type OutboundTarget = {
  /** Host name or IP literal, without brackets or a final dot. */
  hostname: string;
  port: number;
  /** As in the URL, with the port unless it is 443. */
  hostHeader: string;
  /** Path and query. */
  path: string;
};

/** Parses a URL that a user chose. @throws OutboundFailure `bad_url` unless it is https without credentials */
export function readTarget(url: string): OutboundTarget {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed) throw new OutboundFailure('bad_url', 'The URL is invalid.');
  if (parsed.protocol !== 'https:') throw new OutboundFailure('bad_url', 'The URL must start with https://.');
  if (parsed.username || parsed.password) {
    throw new OutboundFailure('bad_url', "The URL can't contain a user name or password.");
  }
  const hostname = parsed.hostname.replace(/^\[|\]$|\.$/g, '');
  if (hostname === '') throw new OutboundFailure('bad_url', 'The URL has no host name.');
  return {
    hostname,
    port: parsed.port === '' ? 443 : Number(parsed.port),
    hostHeader: parsed.host,
    path: `${parsed.pathname}${parsed.search}`,
  };
}
