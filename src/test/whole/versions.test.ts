import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDITED_FIELDS } from '@/lib/record-version';
import { appRouter } from '@/modules/router';
import { type Route, routesOf } from '@/server/rest/routes';
import { applySavedSettings } from '@/server/settings/saved';
import { db } from '../database';
import { makeAdmin, makeAlias, makeDomain, makeMailbox, makeNode, makeWebhook } from '../factories';
import { type Answer, document, expectError, keyClient, sessionClient } from '../rest';
import { alertCall, filterCall, templateCall, viewCall } from './access-matrix/calls';

const api = await keyClient();
const routes = routesOf(appRouter);
const patches = routes.filter(({ method }) => method === 'PATCH');

type Made = { path: string; id?: string };
type Edits = {
  make: () => Promise<Made>;
  /** A change to the values that the record has. */
  none: object;
  one: object;
  other: object;
  /** Changes fields that the record shows, or its row has, beside those that are edited. */
  background?: (id: string) => Promise<unknown>;
};

const at = (path: string) => async (): Promise<Made> => ({ path });
const row = async (path: string, made: { id: string } | Promise<{ id: string }>): Promise<Made> => {
  const { id } = await made;
  return { path: `${path}/${id}`, id };
};
const called = async (call: Promise<{ path: string }>): Promise<Made> => {
  const { path } = await call;
  return { path, id: path.split('/').at(-1) };
};
const domainId = async () => (await makeDomain()).id;

const start = Date.now();
const inHours = (hours: number) => new Date(start + hours * 3_600_000).toISOString();

/** One entry per PATCH route. The test fails for a route without an entry. */
const EDITS: Record<string, Edits> = {
  '/aliases/{id}': {
    make: async () => row('/aliases', makeAlias(await domainId(), 'info', 'a@far.example')),
    none: { destination: 'a@far.example' },
    one: { destination: 'a@far.example,b@far.example' },
    other: { destination: 'a@far.example,c@far.example' },
    background: async (id) => {
      const alias = await db.alias.findUniqueOrThrow({ where: { id } });
      await makeMailbox(alias.domainId, 'info');
    },
  },
  '/mailboxes/{id}': {
    make: async () => row('/mailboxes', makeMailbox(await domainId(), 'ann')),
    none: { active: true },
    one: { display_name: 'Ann' },
    other: { quota_bytes: 1_048_576 },
    background: async (id) => {
      await db.$executeRaw`UPDATE mailbox SET used_bytes = used_bytes + 1 WHERE id = ${id}::uuid`;
      await db.mailbox.update({ where: { id }, data: { suspendedAt: new Date() } });
    },
  },
  '/messages/{id}': {
    make: async () => {
      const domain = await makeDomain();
      const from = { email: `shop@${domain.name}` };
      const send = { from, to: [{ email: 'ann@far.example' }], subject: 'Later', text_body: 'Hi', send_at: inHours(1) };
      return row('/messages', (await api.post('/send', send)).data);
    },
    none: { send_at: inHours(1) },
    one: { send_at: inHours(2) },
    other: { send_at: inHours(3) },
    background: (id) => db.message.update({ where: { id }, data: { updatedAt: new Date() } }),
  },
  '/domains/{id}': {
    make: async () => row('/domains', makeDomain()),
    none: { active: true },
    one: { max_aliases: 5 },
    other: { max_aliases: 6 },
    background: (id) =>
      db.$executeRaw`UPDATE domain SET dns_status = 'error', dns_checked_at = now() WHERE id = ${id}::uuid`,
  },
  '/webhooks/{id}': {
    make: async () => row('/webhooks', makeWebhook({ domainId: await domainId() })),
    none: { active: true },
    one: { events: ['mail.bounced'] },
    other: { name: 'Billing' },
    background: (id) => db.webhook.update({ where: { id }, data: { failuresInRow: 3, failingSince: new Date() } }),
  },
  '/sieve-filters/{id}': {
    make: async () => called(filterCall()({ id: await domainId() })),
    none: { active: true },
    one: { position: 7 },
    other: { name: 'Spam' },
  },
  '/templates/{id}': {
    make: async () => called(templateCall()({ id: await domainId() })),
    none: { subject: 'Matrix' },
    one: { subject: 'Hello' },
    other: { text_body: 'Good morning' },
    background: (id) => db.template.update({ where: { id }, data: { publishedVersion: null, publishedAt: null } }),
  },
  '/admins/{id}': {
    make: async () => row('/admins', makeAdmin({ role: 'domain_admin' })),
    none: { role: 'domain_admin' },
    one: { role: 'admin' },
    other: { role: 'super_admin' },
    background: (id) => db.admin.update({ where: { id }, data: { lastLoginAt: new Date(), totpLastStep: 5 } }),
  },
  '/auth/me': {
    make: at('/auth/me'),
    none: { time_zone: null },
    one: { time_zone: 'Europe/Berlin' },
    other: { time_zone: 'Asia/Tokyo' },
    background: () => db.admin.update({ where: { id: api.admin.id }, data: { lastLoginAt: new Date() } }),
  },
  '/auth/me/views/{id}': {
    make: () => called(viewCall(api.admin.id)),
    none: { query: 'status=bounced' },
    one: { query: 'status=failed' },
    other: { query: 'status=sent' },
  },
  '/abuse/thresholds': {
    make: at('/abuse/thresholds'),
    none: { mailbox_hourly: 200 },
    one: { mailbox_hourly: 201 },
    other: { domain_hourly: 1001 },
  },
  '/abuse/alerts/{id}': {
    make: async () => called(alertCall(await domainId())),
    none: { status: 'open' },
    one: { status: 'acknowledged' },
    other: { status: 'closed' },
    background: (id) => db.alert.update({ where: { id }, data: { count: 99 } }),
  },
  '/cluster/nodes/{id}': {
    make: () => row('/cluster/nodes', makeNode()),
    none: { state: 'active' },
    one: { state: 'draining' },
    other: { state: 'draining' },
    background: (id) => db.clusterNode.update({ where: { id }, data: { loadAverage: 9, beatAt: new Date() } }),
  },
  '/config': {
    make: at('/config'),
    none: { values: { EVENT_RETENTION_DAYS: null } },
    one: { values: { EVENT_RETENTION_DAYS: 7 } },
    other: { values: { REPORT_RETENTION_DAYS: 8 } },
  },
};

afterAll(async () => {
  await db.savedSetting.deleteMany();
  await applySavedSettings(db);
  await db.clusterNode.deleteMany();
  await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 200, domainHourly: 1000 } });
});

const tagOf = ({ headers }: Answer) => headers.get('etag') as string;

function send(method: string, path: string, ifMatch: string, body?: object): Promise<Answer> {
  return api.call(method, path, { body, headers: { 'if-match': ifMatch } });
}

it.each(patches.map((route) => [route.template, route] as const))('PATCH %s is versioned', (template, route) => {
  expect(Object.keys(EDITS)).toContain(template);
  type Operation = {
    responses: Record<string, { description: string; headers?: object }>;
    parameters: { name: string; in: string }[];
  };
  const { kind } = route.meta.versioned ?? {};
  if (kind) {
    const fields = Object.keys(route.input.shape).filter((field) => field !== 'id' && field !== 'revoke_api_keys');
    const counted = fields.map((field) => (field === 'password' ? 'password_changed_at' : field));
    expect(EDITED_FIELDS[kind].toSorted()).toEqual(counted.toSorted());
  } else expect(template).toBe('/config');
  const sameRecord = routes.filter((other) => other.template === template);
  expect(new Set(sameRecord.map(({ meta }) => meta.versioned))).toEqual(new Set([route.meta.versioned]));
  for (const { method, meta } of sameRecord as Route[]) {
    const operation = document.paths?.[template]?.[method.toLowerCase() as 'get'] as unknown as Operation;
    const { description, headers } = operation.responses[meta.rest.status] ?? {};
    expect([method, description, Object.keys(headers ?? {})]).toEqual([
      method,
      expect.any(String),
      method === 'DELETE' ? [] : ['ETag'],
    ]);
    if (method === 'GET') continue;
    expect(operation.parameters).toContainEqual(expect.objectContaining({ name: 'If-Match', in: 'header' }));
    expect(operation.responses[412]?.description).toBe('VERSION_CONFLICT');
  }
});

describe.each(Object.entries(EDITS))('%s', (template, { make, none, one, other, background }) => {
  const reads = routes.some((route) => route.method === 'GET' && route.template === template);
  const isDeletable = routes.some((route) => route.method === 'DELETE' && route.template === template);
  let made: Made;
  let first: string;

  beforeAll(async () => {
    made = await make();
    first = tagOf(await api.patch(made.path, none));
  });

  it('keeps its version when nothing that is edited changes', async () => {
    expect(first).toMatch(/^W\/"[0-9a-f]{16}"$/);
    if (reads) expect(tagOf(await api.get(made.path))).toBe(first);
    await background?.(made.id ?? '');
    expect((await send('PATCH', made.path, first, none)).status).toBe(200);
  });

  it('is changed by one of two writers at once that loaded the same version, and the other gets what it has now', async () => {
    const answers = await Promise.all([one, other].map((body) => send('PATCH', made.path, first, body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
    const [won, lost] = answers.toSorted((a, b) => a.status - b.status) as [Answer, Answer];
    expectError(lost, 412, 'VERSION_CONFLICT');
    expect(tagOf(won)).not.toBe(first);
    expect(tagOf(lost)).toBe(tagOf(won));
    if (reads) {
      const { data, ...answer } = await api.get(made.path);
      expect(tagOf(answer as Answer)).toBe(tagOf(won));
      expect(lost.error.details.current).toEqual(data);
    } else {
      expect(lost.error.details.current).toMatchObject({ id: made.id });
    }
    const denied = await db.auditEntry.findMany({ where: { requestId: lost.meta.request_id } });
    expect(denied).toMatchObject([{ outcome: 'denied', details: { code: 'VERSION_CONFLICT' } }]);
  });

  isDeletable &&
    it('is not deleted with an older version', async () => {
      expectError(await send('DELETE', made.path, first), 412, 'VERSION_CONFLICT');
      const current = tagOf(await api.patch(made.path, one));
      const answer = await send('DELETE', made.path, current);
      // An instance that runs can't be removed.
      expect(answer.status).toBe(template === '/cluster/nodes/{id}' ? 409 : 200);
    });
});

describe('If-Match', () => {
  const alias = async () => {
    const { id } = await makeAlias(await domainId(), 'info', 'a@far.example');
    const tag = tagOf(await api.get(`/aliases/${id}`));
    return { path: `/aliases/${id}`, tag, patch: (ifMatch: string) => send('PATCH', `/aliases/${id}`, ifMatch, {}) };
  };

  it('takes a list, a strong tag of the same version, and any version as *', async () => {
    const { tag, patch } = await alias();
    const strong = tag.slice(2);
    for (const accepted of [`"0000000000000000", ${tag}`, `${tag} , "x"`, `"a,b", ${tag}`, strong, '*', ' * '])
      expect([accepted, (await patch(accepted)).status]).toEqual([accepted, 200]);
    expectError(await patch('"0000000000000000", W/"x"'), 412, 'VERSION_CONFLICT');
  });

  it.each(['-gzip', '-br', '-zstd', ';gzip'])('takes a tag to which a reverse proxy added %s', async (coding) => {
    const { tag, patch } = await alias();
    const marked = tag.replace(/"$/, `${coding}"`);
    for (const accepted of [marked, marked.slice(2)]) expect((await patch(accepted)).status).toBe(200);
    expectError(await patch(`"0000000000000000${coding}"`), 412, 'VERSION_CONFLICT');
  });

  it.each(['', 'x', '"x', 'W/x', 'w/"x"', '"x" "y"', '"x",', '*, "x"', '"x"y', '"a\tb"'])(
    'is rejected if malformed: %s',
    async (header) => {
      const { patch } = await alias();
      const { error } = expectError(await patch(header), 400, 'VALIDATION_ERROR');
      expect(error.details.fields).toMatchObject([{ path: 'If-Match' }]);
    },
  );

  it('is rejected where nothing has a version, rather than ignored', async () => {
    expectError(await send('DELETE', `/api-keys/${api.keyId}`, '*'), 400, 'VALIDATION_ERROR');
    expect((await api.get('/auth/me')).status).toBe(200);
  });

  it('finds no record of others', async () => {
    const { path, tag } = await alias();
    const stranger = await keyClient({ role: 'domain_admin' });
    const answer = await stranger.call('PATCH', path, { body: {}, headers: { 'if-match': '"x"' } });
    expectError(answer, 404, 'NOT_FOUND');
    expect(tag).toBe(tagOf(await api.get(path)));
  });

  it('may be left out, and then the last writer wins', async () => {
    const { path } = await alias();
    const answers = await Promise.all(
      ['b', 'c'].map((name) => api.patch(path, { destination: `${name}@far.example` })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe('a password, which no record shows', () => {
  const PASSWORDS = ['correct horse battery 1', 'correct horse battery 2'];

  it('is an edit of a mailbox', async () => {
    const { path } = await row('/mailboxes', makeMailbox(await domainId(), 'ann'));
    const tag = tagOf(await api.get(path));
    const answers = await Promise.all(PASSWORDS.map((password) => send('PATCH', path, tag, { password })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  });

  it('is an edit of an admin, whatever the clock says', async () => {
    const browser = await sessionClient();
    const { id } = await makeAdmin();
    await db.$executeRaw`UPDATE admin SET password_changed_at = '2100-01-01' WHERE id = ${id}::uuid`;
    const path = `/admins/${id}`;
    const headers = { 'if-match': tagOf(await browser.get(path)) };
    const set = (password: string | undefined) => browser.call('PATCH', path, { body: { password }, headers });
    expect((await set(PASSWORDS[0])).status).toBe(200);
    expectError(await set(PASSWORDS[1]), 412, 'VERSION_CONFLICT');
  });
});
