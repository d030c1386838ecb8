import { isIPv6 } from 'node:net';

export type SmtpTarget = {
  host: string;
  port: number;
  isImplicitTls: boolean;
  startTls: 'auto' | 'required' | 'off';
  isCertificateChecked: boolean;
  auth: { user: string; pass: string } | null;
  connections: number;
};

/**
 * Parses `smtp[s]://[user:pass@]host[:port][?tls=auto|required|off][&verify=false][&pool=8]`; default ports 587 and 465.
 * Certificates are verified unless the host is loopback or `verify=false`. @throws one sentence without the secret
 */
export function parseSmtpUrl(text: string): SmtpTarget {
  const url = URL.canParse(text) ? new URL(text) : fail('is not a URL');
  if (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') fail('must start with smtp:// or smtps://');
  if (!url.hostname) fail('has no host');
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash) fail('can have only a host and options');
  for (const key of url.searchParams.keys()) {
    if (!['tls', 'verify', 'pool'].includes(key)) fail(`has an unknown option, ${key}`);
  }
  const isImplicitTls = url.protocol === 'smtps:';
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  const host = isIPv6(bare) ? bare : decoded(url.hostname);
  return {
    host,
    port: url.port ? Number(url.port) : isImplicitTls ? 465 : 587,
    isImplicitTls,
    startTls: option(url, 'tls', ['auto', 'required', 'off']),
    isCertificateChecked: option(url, 'verify', isLoopback(host) ? ['false', 'true'] : ['true', 'false']) === 'true',
    auth: url.username ? { user: decoded(url.username), pass: decoded(url.password) } : null,
    connections: poolSize(url.searchParams.get('pool')),
  };
}

function option<Value extends string>(url: URL, key: string, values: [Value, ...Value[]]): Value {
  const given = url.searchParams.get(key);
  return given === null
    ? values[0]
    : (values.find((value) => value === given) ?? fail(`has an unknown value of ${key}`));
}

function poolSize(given: string | null): number {
  if (given === null) return 8;
  return /^[1-9]\d?$/.test(given) ? Number(given) : fail('needs a pool from 1 to 99');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('has an invalid percent encoding');
  }
}

function fail(what: string): never {
  throw new Error(`SMTP_URL ${what}.`);
}
