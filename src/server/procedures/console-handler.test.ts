import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { client, keyClient, sessionClient } from '@/test/rest';
import { createConsoleHandler } from './console-handler';

const handle = createConsoleHandler(appRouter);

type Told = { apiCode: string; requestId: string; details: { fields?: { path: string }[] } | null; httpStatus: number };
type Item = { result?: { data: Record<string, unknown> }; error?: { message: string; data: Told } };

async function call(headers: Record<string, string>, procedure: string, input?: unknown, send: RequestInit = {}) {
  const request = new Request(`http://localhost:3000/api/trpc/${procedure}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: input === undefined ? undefined : JSON.stringify(input),
    ...send,
  });
  const response = await handle(request);
  const body = (await response.json()) as Item | Item[];
  return { response, items: Array.isArray(body) ? body : [body] };
}

describe('the tRPC handler', () => {
  it('returns the same records as REST', async () => {
    const browser = await sessionClient();
    const name = `${unique()}.example`;
    const { items } = await call(browser.headers, 'domains.create', { name });
    const id = items[0]?.result?.data.id;
    expect((await browser.get(`/domains/${id}`)).data).toEqual(items[0]?.result?.data);
  });

  it("reports errors with the API's code, the fields and the request id", async () => {
    const browser = await sessionClient();
    const { items, response } = await call(browser.headers, 'domains.create', { name: 'nope' });
    expect(items[0]?.error?.data).toMatchObject({
      apiCode: 'VALIDATION_ERROR',
      details: { fields: [{ path: 'name' }] },
    });
    expect(items[0]?.error?.data.requestId).toBe(response.headers.get('x-request-id'));
    expect(JSON.stringify(items)).not.toMatch(/stack|zod|node_modules/i);
  });

  it('requires a session, and the same origin for changes', async () => {
    const { cookie } = await sessionClient();
    const codes = async (headers: Record<string, string>) =>
      (await call(headers, 'domains.create', { name: `${unique()}.example` })).items[0]?.error?.data.apiCode;
    expect(await codes(client().headers)).toBe('AUTH_REQUIRED');
    expect(await codes({ cookie, 'sec-fetch-site': 'cross-site' })).toBe('FORBIDDEN');
    expect(await codes({ cookie })).toBe('FORBIDDEN');
  });

  it('takes If-Match, and returns the record in a conflict', async () => {
    const browser = await sessionClient();
    const { id } = await makeDomain();
    const change = async (ifMatch: string) =>
      (await call({ ...browser.headers, 'if-match': ifMatch }, 'domains.update', { id, max_aliases: 5 })).items[0];
    expect((await change('"x"'))?.error?.data).toMatchObject({
      apiCode: 'VERSION_CONFLICT',
      httpStatus: 412,
      details: { current: { id, max_aliases: null } },
    });
    const etag = (await browser.get(`/domains/${id}`)).headers.get('etag') as string;
    expect((await change(etag))?.result?.data).toMatchObject({ id, max_aliases: 5 });
  });

  it('changes nothing by GET', async () => {
    const browser = await sessionClient();
    const name = `${unique()}.example`;
    const path = `domains.create?input=${encodeURIComponent(JSON.stringify({ name }))}`;
    const { items } = await call(browser.headers, path, undefined, { method: 'GET' });
    expect(items[0]?.error?.data.apiCode).toBe('METHOD_NOT_ALLOWED');
    expect(await db.domain.count({ where: { name } })).toBe(0);
  });

  it('counts each sign-in of a batch', async () => {
    const batch = Array.from({ length: 12 }, () => 'auth.login').join(',');
    const inputs = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [i, { email: 'a@b.example', password: 'x' }]),
    );
    const { items } = await call(client().headers, `${batch}?batch=1`, inputs);
    const codes = items.map((item) => item.error?.data.apiCode);
    expect(codes.filter((code) => code === 'RATE_LIMIT_EXCEEDED').length).toBeGreaterThanOrEqual(2);
  });

  it('counts a change once against the address limit, like REST, and each change of a batch', async () => {
    const browser = await sessionClient();
    const from = `203.0.113.${Math.floor(Math.random() * 256)}`;
    const headers = { ...browser.headers, 'x-postroom-client-ip': from };
    const change = async (count: number) => {
      const names = Array.from({ length: count }, () => 'domains.create').join(',');
      const inputs = Object.fromEntries(Array.from({ length: count }, (_, index) => [index, { name: 'nope' }]));
      const { response } = await call(headers, `${names}?batch=1`, inputs);
      return Number(response.headers.get('ratelimit-remaining'));
    };
    const first = await change(1);
    expect(await change(1)).toBe(first - 1);
    await change(3);
    expect(await change(1)).toBe(first - 5);
  });

  it("counts each call of a batch against the key's limit", async () => {
    const api = await keyClient({ rateLimit: 4 });
    const batch = Array.from({ length: 10 }, () => 'auth.me').join(',');
    const inputs = encodeURIComponent(JSON.stringify({ ...Array.from({ length: 10 }, () => ({})) }));
    const { items } = await call(api.headers, `${batch}?batch=1&input=${inputs}`, undefined, { method: 'GET' });
    expect(items.filter((item) => item.result)).toHaveLength(4);
  });

  it('rejects a batch of more than 20 calls, a body that is not JSON, and one over 1 MB', async () => {
    const browser = await sessionClient();
    const many = Array.from({ length: 21 }, () => 'auth.me').join(',');
    expect((await call(browser.headers, `${many}?batch=1`, undefined, { method: 'GET' })).response.status).toBe(400);
    const form = { ...browser.headers, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call(form, 'domains.create', {})).response.status).toBe(415);
    const { response, items } = await call(browser.headers, 'domains.create', { name: 'x'.repeat(1024 * 1024) });
    expect(response.status).toBe(413);
    expect(items[0]?.error?.data.apiCode).toBe('PAYLOAD_TOO_LARGE');
  });

  it('limits a domain_admin to the assigned domains', async () => {
    const [mine, other] = [await makeDomain(), await makeDomain()];
    const browser = await sessionClient({ role: 'domain_admin', domainIds: [mine.id] });
    const get = (id: string) =>
      call(browser.headers, `domains.get?input=${encodeURIComponent(JSON.stringify({ id }))}`, undefined, {
        method: 'GET',
      });
    expect((await get(mine.id)).items[0]?.result?.data.id).toBe(mine.id);
    expect((await get(other.id)).items[0]?.error?.data.apiCode).toBe('NOT_FOUND');
  });

  /** A request whose body never arrives. `isRead` tells whether the handler asked for it. */
  function stalledBody() {
    const state = { isRead: false };
    const body = new ReadableStream(
      {
        pull: () => {
          state.isRead = true;
          return new Promise(() => {});
        },
      },
      { highWaterMark: 0 },
    );
    return { state, send: { body, duplex: 'half' } as RequestInit };
  }

  it('does not read the body of a call without a session, and answers each call of a batch', async () => {
    const { state, send } = stalledBody();
    const { response, items } = await call(client().headers, 'domains.create,domains.create?batch=1', undefined, send);
    expect(response.status).toBe(401);
    expect(items.map((item) => item.error?.data.apiCode)).toEqual(['AUTH_REQUIRED', 'AUTH_REQUIRED']);
    expect(state.isRead).toBe(false);
  });

  it('reads no more of a public call than a sign-in needs', async () => {
    const input = { email: 'a@b.example', password: 'x'.repeat(17_000) };
    const { items } = await call(client().headers, 'auth.login', input);
    expect(items[0]?.error?.data.apiCode).toBe('PAYLOAD_TOO_LARGE');
  });
});
