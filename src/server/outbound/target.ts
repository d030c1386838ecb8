import { OutboundFailure } from './failure';

export type OutboundTarget = {
  /** A host name or an IP literal, without brackets and without a final dot. */
  hostname: string;
  port: number;
  /** As the URL has it, with a port that is not 443. */
  hostHeader: string;
  /** Path and query. */
  path: string;
};

/** Reads an address that a user chose. @throws OutboundFailure `bad_url` unless it is https without credentials */
export function readTarget(url: string): OutboundTarget {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed) throw new OutboundFailure('bad_url', 'The address is not a valid URL.');
  if (parsed.protocol !== 'https:') throw new OutboundFailure('bad_url', 'The address does not begin with https://.');
  if (parsed.username || parsed.password) {
    throw new OutboundFailure('bad_url', 'The address has a user name or password in it.');
  }
  const hostname = parsed.hostname.replace(/^\[|\]$|\.$/g, '');
  if (hostname === '') throw new OutboundFailure('bad_url', 'The address has no host name.');
  return {
    hostname,
    port: parsed.port === '' ? 443 : Number(parsed.port),
    hostHeader: parsed.host,
    path: `${parsed.pathname}${parsed.search}`,
  };
}
