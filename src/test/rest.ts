import { expect } from 'vitest';
import type { Role } from '@/lib/access/roles';
import type { ErrorCode } from '@/lib/error-codes';
import { documentedEvents } from '@/modules/events/documented';
import { appRouter } from '@/modules/router';
import type { Clock } from '@/server/clock';
import { toResponse } from '@/server/http/fetch-adapter';
import { createRestHandler } from '@/server/rest/dispatch';
import { openApiDocument } from '@/server/rest/document';
import { checkEnvelope } from './envelope';
import { makeAdmin, makeApiKey, makeSession } from './factories';

const handle = createRestHandler(appRouter, documentedEvents);
export const document = openApiDocument(appRouter, 'http://localhost:3000', documentedEvents());

export type Answer = {
  status: number;
  headers: Headers;
  // Bodies have many shapes; checkEnvelope validates them against the OpenAPI document.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  data: any;
  error: {
    code: ErrorCode;
    message: string;
    details: { fields?: { path: string; message: string }[] } & Record<string, unknown>;
  };
  meta: {
    request_id: string;
    timestamp: string;
    pagination: { next_cursor: string; has_more: boolean; total?: number | null } | null;
  };
};

type CallOptions = { headers?: Record<string, string>; body?: unknown; rawBody?: BodyInit; clock?: Clock };

export type Client = {
  headers: Record<string, string>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** The response for a file, which has no envelope. */
  download(path: string): Promise<Response>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
};

let addresses = 0;

/** A REST client with a unique IP address that checks envelope and schema of every response. */
export function client(headers: Record<string, string> = {}): Client {
  addresses += 1;
  const own = { 'x-postroom-client-ip': `2001:db8:${addresses.toString(16)}::1`, ...headers };
  const call: Client['call'] = async (method, path, options = {}) => {
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const request = new Request(`http://localhost:3000/api/v1${path}`, {
      method,
      headers: { ...own, ...(body !== undefined && { 'content-type': 'application/json' }), ...options.headers },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });
    const response = toResponse(await handle(request, options.clock));
    const parsed = await response.json();
    checkEnvelope(document, method, path, response, parsed);
    return { status: response.status, headers: response.headers, ...parsed };
  };
  return {
    headers: own,
    call,
    download: (path) => handle(new Request(`http://localhost:3000/api/v1${path}`, { headers: own })).then(toResponse),
    get: (path) => call('GET', path),
    post: (path, body, more) => call('POST', path, { body, headers: more }),
    patch: (path, body) => call('PATCH', path, { body }),
    delete: (path) => call('DELETE', path),
  };
}

/** A client with an API key of a new admin. */
export async function keyClient({
  role,
  domainIds,
  ...over
}: { role?: Role; domainIds?: string[] } & Parameters<typeof makeApiKey>[1] = {}) {
  const admin = await makeAdmin({ role, domainIds });
  const { key, row } = await makeApiKey(admin.id, over);
  return { ...client({ authorization: `Bearer ${key}` }), admin, key, keyId: row.id };
}

/** A client with a browser session of a new admin. */
export async function sessionClient(over: { role?: Role; domainIds?: string[] } = {}) {
  const admin = await makeAdmin(over);
  const { session, cookie } = await makeSession(admin.id);
  return { ...client({ cookie, 'sec-fetch-site': 'same-origin' }), admin, session, cookie };
}

export function expectError(answer: Answer, status: number, code: ErrorCode): Answer {
  expect({ status: answer.status, code: answer.error?.code, message: answer.error?.message }).toMatchObject({
    status,
    code,
  });
  return answer;
}
