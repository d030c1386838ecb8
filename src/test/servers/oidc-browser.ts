import { appRouter } from '@/modules/router';
import type { WebResponse } from '@/server/http/fetch-adapter';
import { createRestHandler } from '@/server/rest/dispatch';
import type { Trick } from './oidc-provider';

const handle = createRestHandler(appRouter);
const APP = 'http://localhost:3000';

let addresses = 0;

export type Arrival = { status: number; path: string; page: URL; session: string | null; headers: Headers };

/** A minimal browser for the app and a provider: follows redirects and stores cookies by path. */
export function oidcBrowser(cookie?: string) {
  addresses += 1;
  const ip = `2001:db8:0d:${addresses.toString(16)}::1`;
  const jar = new Map<string, { value: string; path: string }>();

  const cookiesFor = (path: string) =>
    [...jar]
      .filter(([, stored]) => path.startsWith(stored.path))
      .map(([key, stored]) => `${key.split(' ')[0]}=${stored.value}`)
      .join('; ');

  async function call(method: string, path: string, headers: Record<string, string> = {}): Promise<WebResponse> {
    const sent = [cookie, cookiesFor(path.split('?')[0] as string)].filter(Boolean).join('; ');
    const response = await handle(
      new Request(`${APP}${path}`, { method, headers: { 'x-postroom-client-ip': ip, cookie: sent, ...headers } }),
    );
    storeCookies(jar, response.headers);
    return response;
  }

  async function authorize(url: string, trick: Trick = {}): Promise<string> {
    const headers = { cookie: `trick=${encodeURIComponent(JSON.stringify(trick))}` };
    const { headers: answer } = await fetch(url, { headers, redirect: 'manual' });
    const back = new URL(answer.get('location') as string);
    return `${back.pathname}${back.search}`;
  }

  async function arrive(path: string): Promise<Arrival> {
    const { status, headers } = await call('GET', path);
    const page = new URL(headers.get('location') ?? '/nowhere', APP);
    const session = headers.getSetCookie().find((line) => line.startsWith('service_session=')) ?? null;
    return { status, headers, page, path: `${page.pathname}${page.search}`, session };
  }

  return {
    jar,
    call,
    arrive,
    authorize,
    /** @returns the path of the callback that the provider redirects to */
    async begin(provider: string, trick?: Trick, next?: string): Promise<string> {
      const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
      const { headers } = await call('GET', `/api/v1/auth/oidc/login/${provider}${query}`);
      return authorize(headers.get('location') as string, trick);
    },
    async signIn(provider: string, trick?: Trick, next?: string): Promise<Arrival> {
      return arrive(await this.begin(provider, trick, next));
    },
    async link(provider: string, trick?: Trick): Promise<string> {
      const response = await call('POST', `/api/v1/auth/oidc/link/${provider}`, { 'sec-fetch-site': 'same-origin' });
      const { data, error } = await response.json();
      if (error) throw new Error(`${response.status} ${error.code}`);
      return authorize(data.url, trick);
    },
  };
}

function storeCookies(jar: Map<string, { value: string; path: string }>, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split('; ');
    const name = pair.slice(0, pair.indexOf('='));
    const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice(5) ?? '/';
    if (attributes.includes('Max-Age=0')) jar.delete(`${name} ${path}`);
    else jar.set(`${name} ${path}`, { value: pair.slice(name.length + 1), path });
  }
}
