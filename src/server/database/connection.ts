import type { ClientConfig } from 'pg';

/**
 * Settings of every connection. The adapter sends times without an offset, and Postgres reads them in the session's time zone.
 * Compiling a plan (JIT) takes longer than any of our statements runs. Before version 18, a plan that uses a disabled kind of scan,
 * as those of sends do, costs enough to be compiled each time.
 */
const SETTINGS = ['TimeZone=UTC', 'jit=off'];
const KEEP_ALIVE_MS = 10_000;

/**
 * The address and settings of a connection to Postgres. Settings in the `options` of the URL take precedence.
 * @param settings further ones, as `name=value`
 */
export function connectionTo(url: string, ...settings: string[]): ClientConfig {
  const address = new URL(url);
  const given = address.searchParams.get('options') ?? '';
  // The driver would take it instead of the ones given here.
  address.searchParams.delete('options');
  const options = [...SETTINGS, ...settings].map((setting) => `-c ${setting}`);
  return {
    connectionString: address.href,
    options: [...options, given].join(' ').trim(),
    // A server whose machine has gone without a word is noticed within half a minute.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}
