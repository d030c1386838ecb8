import type { Socket } from 'node:net';
import pg, { type ClientConfig } from 'pg';

/**
 * Settings of every connection. The adapter sends times without an offset, and Postgres reads them in the session's time zone.
 * Compiling a plan (JIT) takes longer than any of our statements runs. Before version 18, a plan that uses a disabled kind of scan,
 * as those of sends do, costs enough to be compiled each time.
 */
const SETTINGS = ['TimeZone=UTC', 'jit=off'];
const KEEP_ALIVE_MS = 10_000;
/** How much longer than a statement may run its answer takes to arrive. */
const ANSWER_MS = 10_000;

/**
 * The address and settings of a connection to Postgres. Settings in the `options` of the URL take precedence.
 * @param settings further ones, as `name=value`
 */
export function connectionTo(url: string, ...settings: string[]): ClientConfig & { connectionString: string } {
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

export type PoolOptions = pg.PoolConfig & { connectionString: string; statement_timeout: number; answerMs?: number };

/**
 * Connections that end when a statement isn't answered soon after its timeout. To a machine that has gone without a word, TCP would
 * send it again for a quarter of an hour, which keepalive doesn't shorten. A timeout in the URL takes precedence, and 0 means none.
 */
export function createConnections({ answerMs = ANSWER_MS, ...options }: PoolOptions): pg.Pool {
  const pool = new pg.Pool(options);
  const given = new URL(options.connectionString).searchParams.get('statement_timeout');
  const timeoutMs = Number(given ?? options.statement_timeout);
  if (timeoutMs > 0) pool.on('connect', (client) => endIfSilent(client, timeoutMs + answerMs));
  return pool;
}

function endIfSilent(client: pg.PoolClient & { readyForQuery?: boolean }, afterMs: number): void {
  const stream = client.connection.stream as Socket;
  // As a callback of setTimeout it would only be called once, so for a pause of the pool.
  stream.setTimeout(afterMs).on('timeout', () => {
    const error = Object.assign(new Error('The database server did not answer in time.'), { code: 'ETIMEDOUT' });
    if (client.readyForQuery === false) stream.destroy(error);
  });
}
