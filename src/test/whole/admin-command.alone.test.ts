import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { verify } from '@node-rs/argon2';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@/lib/access/password';
import { PASSWORD_LENGTH } from '@/server/secrets/password-rules.mjs';
import * as accounts from '../../../scripts/admin/accounts.mjs';
import * as apiKeys from '../../../scripts/admin/api-keys.mjs';
import { readArguments } from '../../../scripts/admin/arguments.mjs';
import { readPassword } from '../../../scripts/admin/terminal.mjs';
import { migrate } from '../../../scripts/postgres/database.mjs';
import { startEmbeddedPostgres } from '../../../scripts/postgres/embedded-postgres.mjs';
import { isPlain } from '../../../scripts/process/plain-error.mjs';
import { tryToTakeLock } from '../../../scripts/steps/lock.mjs';
import { db } from '../database';
import { makeAdmin, makeApiKey, makeDomain, makeSession, unique } from '../factories';
import { client } from '../rest';

const PASSWORD = 'nine quiet harbours';

type Outcome = { code: number | null; output: string };
type Run = { args: string[]; input?: string };
type Verb = (client: pg.Client, request: object) => Promise<string>;

/** Runs `npm run admin -- …` with standard input that isn't a terminal. */
function run({ args, input = '', env = {} }: Run & { env?: Record<string, string | undefined> }): Promise<Outcome> {
  const child = spawn(process.execPath, ['scripts/admin.mjs', ...args], { env: { ...process.env, ...env } });
  child.stdin.end(input);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output: output.trim() })));
}

const connection = new pg.Client(process.env.DATABASE_URL);
await connection.connect();
afterAll(() => connection.end());

/** Does what the command does once it has a database, in this process: a start costs a second. */
async function runHere({ args, input = '' }: Run): Promise<Outcome> {
  const { usage, request } = readArguments(args);
  if (!request) return { code: 2, output: usage };
  const verbs = { ...accounts, ...apiKeys } as unknown as Record<string, Verb>;
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(new PassThrough().end(input) as never);
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    const result = await verbs[request.verb]?.(connection, request);
    return { code: 0, output: [...printed.mock.calls.flat(), result].join('\n') };
  } catch (error) {
    if (!isPlain(error)) throw error;
    return { code: 1, output: (error as Error).message };
  } finally {
    vi.restoreAllMocks();
  }
}

const emailOf = () => `a${unique()}@admins.example`;
const entryOf = (id: string) => db.auditEntry.findFirstOrThrow({ where: { resource: `admin:${id}` } });

const FROM_THE_HOST = {
  adminId: null,
  adminEmail: null,
  apiKeyId: null,
  ipAddress: '127.0.0.1',
  userAgent: 'command line',
  outcome: 'success',
  details: expect.objectContaining({ source: 'command_line' }),
};

describe('admin create', () => {
  it('creates an admin who can sign in, and records it in the audit log', async () => {
    const email = emailOf();
    const { code, output } = await run({ args: ['create', email.toUpperCase()], input: `${PASSWORD}\n` });
    expect({ code, output }).toEqual({ code: 0, output: `Created the admin ${email} with the role admin.` });
    const admin = await db.admin.findUniqueOrThrow({ where: { email } });
    expect(admin).toMatchObject({ role: 'admin', totpEnabled: false });
    expect(admin.passwordHash).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await verify(admin.passwordHash as string, PASSWORD)).toBe(true);
    const entry = await entryOf(admin.id);
    expect(entry).toMatchObject({ ...FROM_THE_HOST, action: 'admin.create' });
    expect(entry.requestId[14]).toBe('7');
    expect(JSON.stringify(entry)).not.toContain(PASSWORD);
  });

  it('accepts a role', async () => {
    const email = emailOf();
    const { code } = await runHere({ args: ['create', email, '--role', 'super_admin'], input: PASSWORD });
    expect(code).toBe(0);
    expect(await db.admin.findUniqueOrThrow({ where: { email } })).toMatchObject({ role: 'super_admin' });
  });

  it('rejects an address that already exists', async () => {
    const { email, passwordHash } = await makeAdmin();
    const { code, output } = await runHere({ args: ['create', email], input: PASSWORD });
    expect({ code, output }).toEqual({ code: 1, output: `There is already an admin ${email}.` });
    expect(await db.admin.findUniqueOrThrow({ where: { email } })).toMatchObject({ passwordHash });
  });

  it.each([
    ['too short', 'elevenchars', 'The password is too short: use at least 12 characters.'],
    ['too long', 'x'.repeat(257), 'The password is too long: use at most 256 characters.'],
    ['one of the most common', 'Q1W2E3R4T5Y6', 'This password is too common: choose another.'],
    ['missing', '', 'No password was entered.'],
    ['two lines long', `${PASSWORD}\nand more`, 'The password must be a single line.'],
  ])('rejects a password that is %s', async (_, input, sentence) => {
    const email = emailOf();
    expect(await runHere({ args: ['create', email], input })).toEqual({ code: 1, output: sentence });
    expect(await db.admin.count({ where: { email } })).toBe(0);
  });
});

describe('admin password', () => {
  it('changes the password and ends every session of the admin, but keeps API keys', async () => {
    const admin = await makeAdmin();
    await makeSession(admin.id);
    await makeTotpSession(admin.id);
    const { row } = await makeApiKey(admin.id);
    const bystander = await makeSession((await makeAdmin()).id);
    const { code, output } = await run({ args: ['password', admin.email], input: `${PASSWORD}\r\n` });
    expect(code).toBe(0);
    expect(output).toBe(
      `Password of ${admin.email} changed. All of their sessions are signed out. API keys keep working.`,
    );
    const { passwordHash } = await db.admin.findUniqueOrThrow({ where: { id: admin.id } });
    expect(await verify(passwordHash as string, PASSWORD)).toBe(true);
    expect(await sessionsOf(admin.id)).toEqual([0, 0]);
    expect(await db.apiKey.count({ where: { id: row.id } })).toBe(1);
    expect(await db.session.count({ where: { id: bystander.session.id } })).toBe(1);
    expect(await entryOf(admin.id)).toMatchObject({ ...FROM_THE_HOST, action: 'admin.password' });
  });

  it('revokes the API keys of the admin on request, and names a linked identity', async () => {
    const [admin, bystander] = [await makeAdmin(), await makeAdmin()];
    for (const { id } of [admin, admin, bystander]) await makeApiKey(id);
    const identity = { providerId: 'corp', issuer: 'https://id.example', subject: 'ann' };
    await db.oidcIdentity.create({ data: { adminId: admin.id, ...identity } });
    const { output } = await runHere({ args: ['password', admin.email, '--revoke-api-keys'], input: PASSWORD });
    expect(output).toContain(
      'API keys revoked: 2. A linked identity still signs them in: the account page disconnects it.',
    );
    expect(await db.apiKey.count({ where: { adminId: admin.id } })).toBe(0);
    expect(await db.apiKey.count({ where: { adminId: bystander.id } })).toBe(1);
    expect((await entryOf(admin.id)).details).toMatchObject({
      revoked_api_keys: [expect.any(String), expect.any(String)],
    });
  });

  it('reports an unknown admin before it asks for a password', async () => {
    const email = emailOf();
    expect(await runHere({ args: ['password', email] })).toEqual({ code: 1, output: `There is no admin ${email}.` });
  });
});

describe('admin reset-totp', () => {
  it('removes the second factor with its recovery codes, and ends every session', async () => {
    const admin = await makeAdmin();
    const totp = { totpEnabled: true, totpSecret: new Uint8Array(40), totpLastStep: 1 };
    await db.admin.update({ where: { id: admin.id }, data: totp });
    await db.recoveryCode.create({ data: { adminId: admin.id, codeHash: new Uint8Array(32) } });
    await makeSession(admin.id);
    await makeTotpSession(admin.id);
    const { code, output } = await run({ args: ['reset-totp', admin.email] });
    expect(code).toBe(0);
    expect(output).toBe(`Two-factor authentication of ${admin.email} reset. All of their sessions are signed out.`);
    const after = await db.admin.findUniqueOrThrow({ where: { id: admin.id } });
    expect(after).toMatchObject({ totpEnabled: false, totpSecret: null, totpLastStep: null });
    expect(await db.recoveryCode.count({ where: { adminId: admin.id } })).toBe(0);
    expect(await sessionsOf(admin.id)).toEqual([0, 0]);
    expect(await entryOf(admin.id)).toMatchObject({ ...FROM_THE_HOST, action: 'admin.reset_totp' });
  });

  it('reports an unknown admin in one sentence', async () => {
    const email = emailOf();
    expect(await runHere({ args: ['reset-totp', email] })).toEqual({ code: 1, output: `There is no admin ${email}.` });
  });
});

describe('admin api-key', () => {
  const keyIn = (output: string) => /^service_\w{38}$/m.exec(output)?.[0] ?? '';

  it('prints a key that works, once, and records it in the audit log', async () => {
    const admin = await makeAdmin({ role: 'super_admin' });
    const { code, output } = await run({ args: ['api-key', 'Shop', '--for', admin.email.toUpperCase()] });
    const key = keyIn(output);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringContaining(`Created the API key Shop of ${admin.email}. It isn't shown again:`),
    });
    const { data } = await client({ authorization: `Bearer ${key}` }).get('/api-keys?q=Shop');
    expect(data).toMatchObject([
      {
        name: 'Shop',
        admin_email: admin.email,
        key_prefix: key.slice(0, 16),
        scoped_domain_ids: [],
        rate_limit: 60,
        permissions: ['send', 'read', 'manage'],
        expires_at: null,
      },
    ]);
    const entry = await db.auditEntry.findFirstOrThrow({ where: { resource: `api_key:${data[0].id}` } });
    const { last_used_at: _, ...record } = data[0];
    expect(entry).toMatchObject({ ...FROM_THE_HOST, action: 'api_key.create' });
    expect(entry.details).toEqual({ source: 'command_line', before: null, after: record });
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  it('is scoped to domains, by the rules of POST /api-keys', async () => {
    const [one, two, other] = [await makeDomain(), await makeDomain(), await makeDomain()];
    const admin = await makeAdmin({ role: 'domain_admin' });
    for (const { id } of [one, two]) await db.adminDomain.create({ data: { adminId: admin.id, domainId: id } });
    const create = (domains: string) =>
      runHere({ args: ['api-key', 'CI', '--for', admin.email, '--domains', domains, '--rate-limit', '0'] });
    expect((await create(`${one.name}, ${two.name.toUpperCase()},${one.name}`)).code).toBe(0);
    const select = { scopedDomainIds: true, rateLimit: true };
    expect(await db.apiKey.findMany({ where: { adminId: admin.id }, select })).toEqual([
      { scopedDomainIds: [one.id, two.id], rateLimit: 0 },
    ]);
    const missing = await create('missing.example');
    expect(missing).toEqual({ code: 1, output: 'There is no domain missing.example.' });
    const foreign = await create(`${one.name},${other.name}`);
    expect(foreign).toEqual({ code: 1, output: `${admin.email} has no access to the domain ${other.name}.` });
    expect(await db.apiKey.count({ where: { adminId: admin.id } })).toBe(1);
  });

  it('is for the only admin, unless it says for whom', async () => {
    const email = emailOf();
    expect(await runHere({ args: ['api-key', 'x', '--for', email] })).toEqual({
      code: 1,
      output: `There is no admin ${email}.`,
    });
    await db.admin.deleteMany();
    expect(await runHere({ args: ['api-key', 'x'] })).toEqual({ code: 1, output: 'There is no admin yet.' });
    const admin = await makeAdmin();
    expect((await runHere({ args: ['api-key', 'x'] })).code).toBe(0);
    expect(await db.apiKey.count({ where: { adminId: admin.id } })).toBe(1);
    await makeAdmin();
    expect(await runHere({ args: ['api-key', 'x'] })).toEqual({
      code: 1,
      output: 'There are several admins. Say whose key it is with --for <email>.',
    });
  });
});

describe('the command line', () => {
  it('is rejected with the problem, the usage and exit code 2', async () => {
    const { code, output } = await run({ args: ['create', 'ann'], input: PASSWORD });
    expect({ code, output }).toEqual({ code: 2, output: readArguments(['create', 'ann']).usage });
  });

  it.each([
    [[], 'Enter a command.'],
    [['remove', 'a@b.example'], 'Unknown command "remove".'],
    [['create'], '"create" takes one email address.'],
    [['create', 'a@b.example', PASSWORD], '"create" takes one email address.'],
    [['create', 'a@b.example', '--password', PASSWORD], "Unknown option '--password'"],
    [['create', 'ann'], '"ann" is not an email address.'],
    [['create', 'a@b.example', '--role', 'root'], 'There is no role "root".'],
    [['password', 'a@b.example', '--role', 'admin'], '"password" takes no role.'],
    [['create', 'a@b.example', '--revoke-api-keys'], '"create" revokes no API keys.'],
    [['create', 'a@b.example', '--domains', 'b.example'], '"create" takes no --domains.'],
    [['api-key'], '"api-key" takes one name'],
    [['api-key', 'Our', 'shop'], '"api-key" takes one name'],
    [['api-key', 'x'.repeat(101)], 'Enter a name of one line with at most 100 characters.'],
    [['api-key', 'x', '--for', 'ann'], '"ann" is not an email address.'],
    [['api-key', 'x', '--domains', ' , '], 'Enter at least one domain.'],
    [['api-key', 'x', '--rate-limit', '-1'], "Option '--rate-limit' argument is ambiguous."],
    [['api-key', 'x', '--rate-limit', '1.5'], 'Enter a rate limit of 0 to 1000000 requests per minute.'],
    [['api-key', 'x', '--role', 'admin'], '"api-key" takes no role.'],
  ])('%j is rejected with the problem and the usage', (args, problem) => {
    const { usage = '', request } = readArguments(args);
    expect(request).toBeUndefined();
    expect(usage.startsWith(problem)).toBe(true);
    expect(usage).toContain('npm run admin -- reset-totp <email>');
  });

  it('reports an unreachable database in one sentence', async () => {
    const env = { DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/nothing' };
    const { code, output } = await run({ args: ['reset-totp', emailOf()], env });
    expect(code).toBe(1);
    expect(output).toMatch(/^The database at 127\.0\.0\.1:1\/nothing cannot be used .+\.$/);
  });

  it('reports a missing database in one sentence', async () => {
    const env = { DATABASE_URL: undefined, DATA_DIR: join(tmpdir(), unique()) };
    const { code, output } = await run({ args: ['reset-totp', emailOf()], env });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^There is no database in .+\.$/) });
  });
});

it('starts the embedded Postgres for the command, and keeps one that is running', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'postroom-admin-'));
  // Postgres runs as another user if the tests run as root.
  chmodSync(dataDir, 0o755);
  const start = () => startEmbeddedPostgres({ dataDir, database: 'postroom', isDurable: false });
  let postgres = await start();
  onTestFinished(() => {
    postgres.stop();
    rmSync(dataDir, { recursive: true });
  });
  const env = { DATABASE_URL: undefined, DATA_DIR: dataDir };
  const create = (email: string) => run({ args: ['create', email], input: PASSWORD, env });
  const [first, second] = [emailOf(), emailOf()];

  const early = { code: 1, output: 'The database is not up to date. Run "npm start" once first.' };
  expect(await create(first)).toEqual(early);
  await migrate(process.cwd(), postgres.url);

  postgres.stop();
  expect((await create(first)).code).toBe(0);
  postgres = await start();
  expect(postgres.isAdopted).toBe(false);

  // `npm start` holds this lock while it runs.
  await tryToTakeLock('data', dataDir);
  expect((await create(second)).code).toBe(0);
  expect(await emailsIn(postgres.url)).toEqual([first, second]);
  postgres.stop();
  const { code, output } = await create(emailOf());
  expect(code).toBe(1);
  expect(output).toMatch(/ is in use by process \d+, but no database is running there yet\. .+\.$/);
});

describe('a password typed at a terminal', () => {
  it('is requested twice and never shown', async () => {
    const { input, shown } = makeTerminal();
    const password = readPassword({ input, prompts: shown });
    input.write(`${PASSWORD}x\u007f\r`);
    input.write(`${PASSWORD}\r`);
    expect(await password).toBe(PASSWORD);
    expect(String(shown.read())).toBe('New password: \nConfirm password: \n');
  });

  it('is rejected if the two differ', async () => {
    const { input, shown } = makeTerminal();
    const password = readPassword({ input, prompts: shown });
    input.write(`${PASSWORD}\rsomething else\r`);
    await expect(password).rejects.toThrow('The passwords do not match.');
  });

  it('is missing if the terminal closes', async () => {
    const { input, shown } = makeTerminal();
    const password = readPassword({ input, prompts: shown });
    input.end();
    await expect(password).rejects.toThrow('No password was entered.');
  });
});

it('the command and the API have the same password length limits', () => {
  expect(PASSWORD_LENGTH).toEqual({ min: MIN_PASSWORD_LENGTH, max: MAX_PASSWORD_LENGTH });
});

function makeTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  return { input: input as never as typeof process.stdin & PassThrough, shown: new PassThrough() };
}

function makeTotpSession(adminId: string) {
  const data = { adminId, secretHash: Buffer.from(unique()), expiresAt: new Date(Date.now() + 60_000) };
  return db.totpSession.create({ data });
}

function sessionsOf(adminId: string): Promise<number[]> {
  return Promise.all([db.session.count({ where: { adminId } }), db.totpSession.count({ where: { adminId } })]);
}

async function emailsIn(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query('SELECT email FROM admin ORDER BY created_at');
  await client.end();
  return rows.map((row) => row.email);
}
