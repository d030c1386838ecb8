import { uuidv7 } from '@/lib/uuid';
import { type Actor, identify } from '../access/actor';
import { type Clock, systemClock } from '../clock';
import { type Database, database } from '../database/db';
import type { WebHeaders, WebRequest } from '../http/fetch-adapter';
import { type RequestCount, readRequestCount } from '../http/request-count';
import { type Credentials, readCredentials } from '../secrets/credentials';
import { env } from '../settings/env';

/** How long a request goes on with the caller that it has read. */
const CURRENT_MS = 1_000;

export type Context = {
  /** The pool. Mutations change data in a transaction, see mutation.ts. */
  db: Database;
  clock: Clock;
  request: { id: string; ip: string; userAgent: string; idempotencyKey: string | null; cookies: string };
  /** The header of a change that holds only for a known version, see versions.ts. */
  ifMatch: string | null;
  credentials: Credentials;
  /** Whether the browser states that the request comes from this console. */
  isSameOrigin: boolean;
  /** Response headers, and a status that a verb may set, such as a health check. */
  response: { headers: Headers; status: number | null };
  /**
   * Reads the caller from the database: again after a second, because a body may take minutes to arrive.
   * @throws the 401 that applies
   */
  identify(): Promise<Actor>;
  /** The HTTP server's count of this request, until the address limit has been checked with it. */
  countedRequest: RequestCount | null;
  /** Set by the REST dispatcher, which admits a request before it reads the body. */
  admission: { actor: Actor | null } | null;
};

/** The context of an authenticated call. */
export type ActorContext = Context & { actor: Actor };

export function createContext(
  request: WebRequest,
  clock: Clock = systemClock,
  responseHeaders: Headers = new Headers(),
): Context {
  const db = database();
  const credentials = readCredentials(request.headers);
  let actor: Promise<Actor> | undefined;
  let readAt = 0;
  return {
    db,
    clock,
    request: {
      id: uuidv7(),
      ip: request.headers.get('x-postroom-client-ip') ?? '0.0.0.0',
      userAgent: (request.headers.get('user-agent') ?? '').slice(0, 512),
      idempotencyKey: request.headers.get('idempotency-key'),
      cookies: request.headers.get('cookie') ?? '',
    },
    ifMatch: request.headers.get('if-match'),
    credentials,
    isSameOrigin: isSameOrigin(request.headers),
    response: { headers: responseHeaders, status: null },
    identify: () => {
      const now = clock.now().getTime();
      if (actor && now - readAt < CURRENT_MS) return actor;
      readAt = now;
      actor = identify(credentials, clock);
      return actor;
    },
    countedRequest: readRequestCount(request.headers),
    admission: null,
  };
}

function isSameOrigin(headers: WebHeaders): boolean {
  const site = headers.get('sec-fetch-site');
  return site ? site === 'same-origin' : headers.get('origin') === env().appUrl;
}
