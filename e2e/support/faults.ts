import type { Page } from '@playwright/test';

type Fault = { status: number; code: string; message: string; details?: object | null };

/** Names the browser's time zone to the server. */
export const TIME_ZONE_COOKIE = 'postroom-time-zone';

export const REQUEST_ID = '01a1fc2e-7c5e-77e9-8b47-7ed1e0f6aa07';

/** Makes one tRPC procedure fail, also within a batch. @returns a function that ends it */
export function failProcedure(page: Page, procedure: string, fault: Fault): Promise<() => Promise<void>> {
  const { status, code, message, details = null } = fault;
  const data = { apiCode: code, details, requestId: REQUEST_ID, httpStatus: status };
  return replaceAnswer(page, procedure, { status, json: { error: { message, code: -32603, data } } });
}

/** Replaces the response of one tRPC procedure that depends on other systems. @returns a function that ends it */
export function answerProcedure(page: Page, procedure: string, data: object): Promise<() => Promise<void>> {
  return replaceAnswer(page, procedure, { status: 200, json: { result: { data } } });
}

/** Holds back the requests to a URL. @returns a function that lets them through */
export async function holdRequests(page: Page, url: Parameters<Page['route']>[0]): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    await released;
    await route.fallback();
  });
  return () => release();
}

/** Makes the browser keep no cookie that a response of this tRPC procedure sets, as Safari does on http://localhost. */
export function withoutCookies(page: Page, procedure: string): Promise<unknown> {
  return page.route(`**/api/trpc/${procedure}?*`, async (route) => {
    const response = await route.fetch();
    const { 'set-cookie': _rejected, ...headers } = response.headers();
    // The browser keeps those of a response that is fetched for it.
    await page.context().clearCookies({ name: 'service_session' });
    await route.fulfill({ response, headers });
  });
}

/** Makes the page see no mail server, even if another spec runs a stand-in. */
export async function withoutMailServer(page: Page, state: 'none' | 'silent' = 'none'): Promise<void> {
  const fault = { status: 503, code: 'MAIL_STACK_UNAVAILABLE', message: 'The mail server cannot be asked.' };
  for (const procedure of ['queue.list', 'queue.summary']) {
    await failProcedure(page, procedure, { ...fault, details: { mail_server: state } });
  }
  await answerProcedure(page, 'mailServer.get', { state });
  await answerProcedure(page, 'services.get', {
    mail_server: state,
    services: [],
    relays: [],
    instances: [],
    running: null,
  });
}

type Replacement = { status: number; json: object };

type WithReplacements = Window & { replacementsFor?: (procedures: string[]) => Promise<(Replacement | null)[]> };

const replacementsOf = new WeakMap<Page, Map<string, Replacement>>();

async function replaceAnswer(page: Page, procedure: string, replacement: Replacement): Promise<() => Promise<void>> {
  let replacements = replacementsOf.get(page);
  if (!replacements) {
    replacements = new Map();
    replacementsOf.set(page, replacements);
    await replaceInPage(page, replacements);
  }
  replacements.set(procedure, replacement);
  return async () => void replacements.delete(procedure);
}

/** Replaces answers in the page. A route would turn off the cache of the browser, and so double the work of each further load. */
async function replaceInPage(page: Page, replacements: Map<string, Replacement>): Promise<void> {
  await withoutServerData(page);
  const find = (procedures: string[]) => procedures.map((name) => replacements.get(name) ?? null);
  await page.exposeFunction('replacementsFor' satisfies keyof WithReplacements, find);
  await page.addInitScript(replaceFetch);
  // The page may have loaded.
  await page.evaluate(replaceFetch);
}

/** Runs in the page. A batch may have several procedures, of which some are replaced. */
function replaceFetch(): void {
  const ask = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input, window.location.href);
    const procedures = decodeURIComponent(pathname.split('/api/trpc/')[1] ?? '').split(',');
    const own = (await (window as WithReplacements).replacementsFor?.(procedures)) ?? [];
    const [first] = own;
    if (own.every((replacement) => !replacement)) return ask(input, init);
    if (first && own.every((replacement) => replacement?.status === first.status))
      return Response.json(
        own.map((replacement) => replacement?.json),
        { status: first.status },
      );
    const answers: object[] = await (await ask(input, init)).json();
    return Response.json(
      answers.map((answer, index) => own[index]?.json ?? answer),
      { status: 207 },
    );
  };
}

/** Makes pages ask for all of their data in the browser, where a test can replace it: the server doesn't know its time zone. */
export async function withoutServerData(page: Page): Promise<void> {
  await page.addInitScript((name) => {
    const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
    if (!cookie?.set) return;
    const set = cookie.set;
    Object.defineProperty(Document.prototype, 'cookie', {
      ...cookie,
      set(this: Document, value: string) {
        if (!value.startsWith(`${name}=`)) set.call(this, value);
      },
    });
  }, TIME_ZONE_COOKIE);
  await page.context().clearCookies({ name: TIME_ZONE_COOKIE });
}

/** A REST error response. */
export function envelope({ code, message, details = null }: Fault) {
  const meta = { request_id: REQUEST_ID, timestamp: new Date().toISOString(), pagination: null };
  return { data: null, error: { code, message, details }, meta };
}
