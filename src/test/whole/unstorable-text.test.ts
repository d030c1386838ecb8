import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { routesOf } from '@/server/rest/routes';
import { setSettings } from '@/test/settings';
import { client } from '../rest';
import { FIXTURES } from './access-matrix/fixtures';
import { makeScenario } from './access-matrix/scenario';

setSettings({ SMTP_URL: 'off' });

const TEXTS = { 'a NUL character': 'a\0b', 'a lone surrogate': 'a\ud800b' };
const routes = routesOf(appRouter).map((route) => ({ ...route, name: `${route.method} ${route.template}` }));

/** Copies of a body, each with the text in another place: instead of a string, or in a new or present field. */
function* variantsOf(value: unknown, text: string): Generator<unknown> {
  if (typeof value === 'string') yield text;
  else if (Array.isArray(value))
    for (const [index, each] of value.entries())
      for (const variant of variantsOf(each, text)) yield value.with(index, variant);
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value))
      for (const variant of variantsOf(each, text)) yield { ...value, [key]: variant };
}

// Calls that are rejected leave the scenario as it is.
const scenario = await makeScenario({ role: 'super_admin', credential: 'session' });

describe.each(routes)('$name', ({ name, method, template, input }) => {
  it.each(Object.entries(TEXTS))('rejects %s in every path parameter and field', async (_, text) => {
    const fixture = FIXTURES[name];
    const { path, body = {} } = (await (fixture?.targets.own ?? fixture?.targets.missing)?.(scenario)) ?? { path: '' };
    const [pathname = ''] = path.split('?');
    const inPath = template.split('/').filter((part) => part.startsWith('{'));
    const inBody = Object.keys(input.shape).filter((key) => !inPath.includes(`{${key}}`));
    const encoded = encodeURIComponent(text.toWellFormed());
    // A path and a query can't have lone surrogates.
    const isText = text.isWellFormed();
    const calls: { path: string; body?: unknown }[] = isText
      ? inPath.map((part) => ({
          path: pathname.split('/').with(template.split('/').indexOf(part), encoded).join('/'),
          body,
        }))
      : [];
    if (method !== 'GET') {
      calls.push(...inBody.map((key) => ({ path, body: { ...body, [key]: text } })));
      calls.push(...[...variantsOf(body, text)].map((variant) => ({ path, body: variant })));
    } else if (isText) calls.push(...inBody.map((key) => ({ path: `${pathname}?${key}=${encoded}` })));
    for (const call of calls) {
      // Another address for each, because sign-ins are limited.
      const caller = client(scenario.headers);
      const { status, data } = await caller.call(method, call.path, method === 'GET' ? {} : { body: call.body });
      // A batch has an outcome per message.
      const isRejected = status === 400 || (status === 200 && Boolean(data?.results?.[0]?.error));
      expect({ ...call, status, isRejected }).toMatchObject({ isRejected: true });
    }
  });
});
