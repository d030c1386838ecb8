import { describe, expect, it } from 'vitest';
import { hasRole, ROLES, type Role } from '@/lib/access/roles';
import { appRouter } from '@/modules/router';
import { routesOf } from '@/server/rest/routes';
import { setSettings } from '@/test/settings';
import { type Answer, client } from '../rest';
import { FIXTURES } from './access-matrix/fixtures';
import {
  type Caller,
  CREDENTIALS,
  isInScope,
  makeScenario,
  type Outcome,
  type Scenario,
  type Target,
} from './access-matrix/scenario';

setSettings({ SMTP_URL: 'off' });

const routes = routesOf(appRouter).map((route) => ({ ...route, name: `${route.method} ${route.template}` }));
const callers: Caller[] = [
  { role: 'super_admin', credential: 'none' },
  ...ROLES.flatMap((role) => CREDENTIALS.map((credential) => ({ role, credential }))),
];
/** Its session is sent from other sites. */
const otherSite: Caller = { role: 'super_admin', credential: 'session' };

const scenarios = new Map<Caller, Promise<Scenario>>();
function shared(caller: Caller): Promise<Scenario> {
  const made = scenarios.get(caller) ?? makeScenario(caller);
  scenarios.set(caller, made);
  return made;
}

type NamedRoute = (typeof routes)[number];

it('has a fixture for every route', () => {
  expect(Object.keys(FIXTURES).toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
});

/** The roles of docs/api-contract.md, written again: the calls below take the role of a route from its own declaration. */
const REQUIRED: [Role | undefined, RegExp][] = [
  [undefined, /^GET \/(health|version)$|^POST \/auth\/login$|^GET \/auth\/oidc\/(providers|login|callback)/],
  ['super_admin', /^\w+ \/(alert-emails|backups|cluster|config|orchestrator|system)\b/],
  ['super_admin', /^(POST|PATCH|DELETE) \/admins|^GET \/admins\/(export|\{id\}\/oidc)$/],
  ['super_admin', /^GET \/audit\/(export|verify)$|^GET \/messages\/retention$|^PATCH \/abuse\/thresholds$/],
  ['admin', /^\w+ \/(abuse|alert-mutes|events|queue|webhooks)\b/],
  ['admin', /^(POST|PATCH|DELETE) \/domains(\/\{id\})?$|^(POST|DELETE) \/domains\/\{id\}\/dkim\//],
  ['admin', /^POST \/mailboxes\/\{id\}\/(un)?suspend$/],
  ['domain_admin', /./],
];

it('requires the role that the contract names, on every route', () => {
  const declared = routes.map(({ name, meta }) => ({ name, role: meta.access }));
  expect(declared).toEqual(
    routes.map(({ name }) => ({ name, role: REQUIRED.find(([, pattern]) => pattern.test(name))?.[0] })),
  );
});

describe.each(routes)('$name', (route) => {
  const fixture = FIXTURES[route.name];
  if (!fixture) return;
  const targets = Object.keys(fixture.targets) as Target[];

  it.each(callers)('answers $role with $credential by role and domain scope', async (caller) => {
    for (const target of targets) {
      const outcome = expected(route, caller, target);
      // A call that reads, or is rejected, leaves the scenario as it is.
      const isReusable = route.method === 'GET' || outcome.status >= 400;
      const scenario = await (isReusable ? shared(caller) : makeScenario(caller));
      const { path, body } = (await fixture.targets[target]?.(scenario)) ?? { path: '', body: undefined };
      const answer = await call(scenario, route, { path, body });
      expect({ target, ...outcomeOf(answer) }).toEqual({ target, ...outcome });
    }
  });

  if (route.method === 'GET' || !route.meta.access) return;

  it('rejects a session from another site', async () => {
    const scenario = await shared(otherSite);
    const { path, body } = (await (fixture.targets.own ?? fixture.targets.missing)?.(scenario)) ?? {
      path: '',
      body: undefined,
    };
    const { cookie = '' } = scenario.headers;
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      {},
    ];
    for (const headers of foreign) {
      const answer = await client({ cookie, ...headers }).call(route.method, path, { body });
      expect(outcomeOf(answer)).toEqual({ status: 403, code: 'FORBIDDEN' });
    }
  });
});

/** A file has no envelope; only the access to it is checked. */
async function call(
  { headers }: Scenario,
  route: NamedRoute,
  { path, body }: { path: string; body?: object },
): Promise<Answer> {
  // Each call has an address of its own, so that none exceeds the limit of an address.
  const api = client(headers);
  if (!route.meta.rest.file) return api.call(route.method, path, { body });
  const response = await api.download(path);
  const { error = null } = response.ok ? {} : await response.json();
  return { status: response.status, error } as Answer;
}

/** A batch has an outcome per message. */
function outcomeOf({ status, error, data }: Answer): Outcome {
  return { status, code: error?.code ?? data?.results?.[0]?.code ?? null };
}

/** Order of checks (docs/api-contract.md): credentials, role, session or key, scope; then the named resource. */
function expected(route: NamedRoute, caller: Caller, target: Target): Outcome {
  const { access, isSessionOnly, isOpenToScopedKeys } = route.meta;
  const fixture = FIXTURES[route.name];
  if (access && caller.credential === 'none') return { status: 401, code: 'AUTH_REQUIRED' };
  if (access && !hasRole(caller.role, access)) return { status: 403, code: 'FORBIDDEN' };
  if (isSessionOnly && caller.credential !== 'session') return { status: 409, code: 'CONFLICT' };
  if (access && !isOpenToScopedKeys && caller.credential === 'scoped key') {
    return { status: 403, code: 'API_KEY_DOMAIN_SCOPE' };
  }
  const success = fixture?.success ?? { status: route.meta.rest.status, code: null };
  if (target === 'own' || (target === 'foreign' && isInScope(fixture?.kind, caller))) return success;
  if (fixture?.kind === 'own admin' && caller.role !== 'super_admin') return { status: 403, code: 'FORBIDDEN' };
  if (target === 'missing') return fixture?.missing ?? { status: 404, code: 'NOT_FOUND' };
  if (fixture?.kind !== 'named domain') return { status: 404, code: 'NOT_FOUND' };
  const code = hasRole(caller.role, 'admin') ? 'API_KEY_DOMAIN_SCOPE' : 'FORBIDDEN';
  return { status: fixture.missing?.status === 200 ? 200 : 403, code };
}
