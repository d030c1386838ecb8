import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '@/lib/event-types';
import { NewPassword } from '@/lib/wire';
import { appRouter } from '@/modules/router';
import { routesOf } from '@/server/rest/routes';
import { document } from '@/test/rest';
import { PASSWORD_PLACEHOLDER } from './examples';
import { referenceOf } from './reference';
import { fieldsOf, type Schema } from './schemas';

const reference = referenceOf(document);
const operations = reference.sections.flatMap((section) => section.operations);
const documented = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}));
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, code: { optimize: false } });
ajv.addSchema(document as object, 'document');

function find(id: string) {
  const found = operations.find((operation) => operation.id === id);
  if (!found) throw new Error(`There is no operation ${id}`);
  return found;
}

it('has every operation of the document once, Sending and Messages first', () => {
  expect(operations.map(({ id }) => id).sort()).toEqual(documented.map(({ operationId }) => operationId).sort());
  const [first, second, ...others] = reference.sections.map(({ title }) => title);
  expect([first, second]).toEqual(['Sending', 'Messages']);
  expect(others).toEqual(others.toSorted((one, other) => one.localeCompare(other)));
  const aliases = reference.sections.find(({ title }) => title === 'Aliases');
  expect(aliases?.operations.slice(0, 2).map(({ id }) => id)).toEqual(['aliases-list', 'aliases-create']);
  expect(new Set(reference.sections.map(({ slug }) => slug)).size).toBe(reference.sections.length);
  expect(find('apiKeys-list').href).toBe('/reference/api-keys#apiKeys-list');
});

it('has examples that the schemas of bodies and responses accept', () => {
  const rejected: string[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, source] of Object.entries(item ?? {})) {
      const operation = find(source.operationId);
      const check = (place: string, example: string | null | undefined) => {
        if (!example) return;
        const pointer = [path, method, ...place.split(' ')].map((part) => part.replaceAll('/', '~1')).join('/');
        const validate = ajv.getSchema(`document#/paths/${encodeURI(pointer)}/schema`);
        const accepted = JSON.parse(example.replaceAll(PASSWORD_PLACEHOLDER, `${PASSWORD_PLACEHOLDER}${operation.id}`));
        if (!validate?.(accepted)) rejected.push(`${operation.id}: ${ajv.errorsText(validate?.errors)}`);
      };
      check('requestBody content application/json', operation.body?.example);
      for (const { status, example } of operation.answers)
        check(`responses ${status} content application/json`, example);
    }
  }
  expect(rejected).toEqual([]);
});

it('has examples of requests that the routes accept', () => {
  const rejected: string[] = [];
  for (const { procedure, template, input } of routesOf(appRouter)) {
    const { examplePath, body } = find(procedure.replace('.', '-'));
    const [path = '', query] = examplePath.split('?');
    const parts = path.split('/').map(decodeURIComponent);
    const inPath = template.split('/').flatMap((part, at) => (/^{/.test(part) ? [[part.slice(1, -1), parts[at]]] : []));
    const example = body?.example.replaceAll(PASSWORD_PLACEHOLDER, 'a long enough one 7391') ?? '{}';
    const entered = { ...Object.fromEntries(new URLSearchParams(query)), ...JSON.parse(example) };
    const { error } = input.safeParse({ ...Object.fromEntries(inPath), ...entered });
    if (error) rejected.push(`${procedure}: ${error.issues.map((issue) => `${issue.path}: ${issue.message}`)}`);
  }
  expect(rejected).toEqual([]);
});

it('prefills what a request requires, changes nothing, and sets no password', () => {
  const prefilledOf = (id: string) => JSON.parse(find(id).body?.prefilled ?? '');
  const changes = operations.filter(({ method }) => method === 'PATCH');
  expect(changes.map(({ body }) => body?.prefilled).filter((body) => body !== '{}')).toEqual([]);
  expect(prefilledOf('backups-restore')).toEqual({ dry_run: true });
  expect(prefilledOf('services-create')).toEqual({ action: 'reload', dry_run: true });
  expect(prefilledOf('apiKeys-create')).toEqual({ name: 'Example' });
  expect(prefilledOf('admins-create')).toMatchObject({ password: PASSWORD_PLACEHOLDER });
  const bodies = operations.map(({ body }) => body?.example ?? '');
  const passwords = bodies.flatMap((body) => [...body.matchAll(/"\w*password": "([^"]*)"/g)].map(([, value]) => value));
  expect(passwords.length).toBeGreaterThan(2);
  expect(passwords.filter((password) => password !== PASSWORD_PLACEHOLDER)).toEqual([]);
  expect(NewPassword.safeParse(PASSWORD_PLACEHOLDER).success).toBe(false);
  expect(find('mailboxes-update').body?.example).not.toContain('password');
});

it('asks before it deletes, and before other operations that say what they do', () => {
  const removals = operations.filter(({ method }) => method === 'DELETE');
  expect(removals.filter(({ isChanging, confirmation }) => !isChanging || confirmation === null)).toEqual([]);
  expect(operations.filter(({ method, isChanging }) => method === 'GET' && isChanging)).toEqual([]);
  expect(find('backups-restore').confirmation).toContain('Replaces current records');
  expect(find('aliases-delete')).toMatchObject({ isChanging: true, confirmation: '' });
  expect(find('templates-preview')).toMatchObject({ isChanging: false, confirmation: null });
  expect(find('aliases-create')).toMatchObject({ isChanging: true, confirmation: null });
});

it('shows how to send a message', () => {
  const message = JSON.parse(find('sending-send').body?.example ?? '');
  expect(message).toMatchObject({ subject: 'Welcome', to: [{ email: 'ann@example.com' }] });
  expect(JSON.parse(find('sending-sendBatch').body?.example ?? '')).toEqual({ messages: [message] });
});

it('tells who may call an operation', () => {
  expect(find('system-version').access).toBeNull();
  expect(find('auth-logout').access).toMatchObject({ session_only: true });
  expect(find('sending-send').access).toEqual({
    role: 'domain_admin',
    permission: 'send',
    scoped_keys: true,
    session_only: false,
  });
  const verify = find('audit-verify');
  expect(verify.access).toMatchObject({ role: 'super_admin', permission: 'read', scoped_keys: false });
  expect(verify.description).not.toContain('Requires the role');
});

it('has the fields of objects, of lists of them and of variants, with their limits', () => {
  const schema: Schema = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1, maximum: 2000, default: 50 },
      pet: { anyOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'null' }], description: 'Whose it is' },
      kinds: { type: 'array', maxItems: 3, items: { type: 'string', enum: ['cat', 'dog'] } },
      owners: { type: 'array', items: { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } } },
    },
  };
  const pet: Schema = { type: 'object', properties: { parent: { $ref: '#/components/schemas/Pet' } } };
  const [size, owned, kinds, owners] = fieldsOf(schema, { Pet: pet });
  expect(size).toMatchObject({ type: 'integer', isRequired: true, facts: ['1 to 2,000', 'default `50`'] });
  expect(owned).toMatchObject({ type: 'object or null', description: 'Whose it is', isRequired: false });
  // A schema that has itself ends there.
  expect(owned?.fields).toMatchObject([{ name: 'parent', fields: [] }]);
  expect(kinds).toMatchObject({ type: 'array of strings', facts: ['at most 3 items'], values: ['cat', 'dog'] });
  expect(owners).toMatchObject({
    type: 'array of objects',
    fields: [{ name: 'name', facts: ['at most 9 characters'] }],
  });
});

it('has the entries of maps, the limits of items, and variants apart', () => {
  const named = (name: string): Schema => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'string' } },
  });
  const schema: Schema = {
    type: 'object',
    properties: {
      tags: { type: 'array', items: { type: 'string', maxLength: 9 } },
      headers: {
        type: 'object',
        propertyNames: { maxLength: 5 },
        additionalProperties: { type: 'string', maxLength: 7 },
      },
      owner: { anyOf: [named('person'), named('team'), { type: 'null' }] },
    },
  };
  const [tags, headers, owner] = fieldsOf(schema, {});
  expect(tags?.facts).toEqual(['each at most 9 characters']);
  expect(headers).toMatchObject({
    type: 'map of string to string',
    fields: [{ name: '<name>', type: 'string', facts: ['name at most 5 characters', 'at most 7 characters'] }],
  });
  expect(owner?.fields).toMatchObject([
    { isVariant: true, fields: [{ name: 'person', isRequired: true }] },
    { isVariant: true, fields: [{ name: 'team', isRequired: true }] },
  ]);
});

it('finds operations by method and path, words of the summary, and names of fields', () => {
  const idsOf = (query: string) => reference.search(query).map(({ entry }) => entry.id);
  expect(idsOf('post /SEND')[0]).toBe('sending-send');
  expect(idsOf('retry deferred')[0]).toBe('queue-flush');
  const [first] = reference.search('unsubscribe mailto');
  expect(first).toMatchObject({ entry: { id: 'sending-send' }, fields: expect.arrayContaining(['mailto']) });
  for (const other of ['', '  ', 'no-such-word']) expect(idsOf(other)).toEqual([]);
  expect(reference.named('list ALIASES').map(({ id }) => id)).toEqual(['aliases-list']);
  for (const other of ['', 'quota_bytes']) expect(reference.named(other)).toEqual([]);
  // An error code, a value, a description and a name in capitals.
  expect(idsOf('DKIM_KEY_PENDING send').length).toBe(0);
  expect(idsOf('version_conflict aliases')).toContain('aliases-update');
  expect(idsOf('apply_config')).toContain('services-create');
  expect(idsOf('rfc 5228')).toContain('sieveFilters-create');
  expect(reference.search('IF-MATCH aliases')[0]?.fields).toEqual(['If-Match']);
  // A whole word comes before a part of one, and the summary before the title of a section.
  expect(reference.named('key')[0]?.summary).toMatch(/\bkey\b/);
  expect(reference.named('messages export')[0]?.id).toBe('messages-export');
  expect(reference.named('health')[0]?.path).toContain('health');
  expect(reference.hrefOf('GET', '/messages/{id}')).toBe('/reference/messages#messages-get');
});

it('has every event with its fields and an example, and finds it by both', () => {
  const events = reference.sections.find(({ slug }) => slug === 'events')?.events ?? [];
  expect(events.map(({ path }) => path)).toEqual([...EVENT_TYPES]);
  const bounced = events.find(({ id }) => id === 'mail.bounced');
  expect(bounced).toMatchObject({ method: 'EVENT', href: '/reference/events#mail.bounced' });
  expect(bounced?.fields.find(({ name }) => name === 'bounce')?.fields.map(({ name }) => name)).toContain(
    'enhanced_code',
  );
  expect(JSON.parse(bounced?.example ?? '')).toMatchObject({ event: 'mail.bounced', data: { will_retry: false } });
  expect(reference.search('mail.bounced diagnostic')).toMatchObject([
    { entry: { id: 'mail.bounced' }, fields: ['diagnostic'] },
  ]);
  expect(reference.named('mail.complained').map(({ id }) => id)).toEqual(['mail.complained']);
});

it('names the files of responses, and has none of redirections', () => {
  expect(find('messages-export').file).toBe('messages-export.csv');
  expect(find('messages-raw').file).toBe('messages-raw.eml');
  expect(find('auth-oidcLogin')).toMatchObject({ file: null, isRedirect: true });
  expect(operations.filter(({ file }) => file !== null).length).toBeGreaterThan(30);
  expect(find('messages-list')).toMatchObject({ file: null, isRedirect: false });
});

it('shows a request with the parameters it requires', () => {
  expect(find('messages-get').examplePath).toBe('/messages/019ac000-0000-7000-8000-000000000000');
  expect(find('aliases-resolve').examplePath).toBe('/aliases/resolve?address=ann%40example.com');
  expect(find('messages-list').examplePath).toBe('/messages');
});
