import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { detach } from '@/modules/mail-server/requests';
import type { Prisma } from '@/server/prisma/client';
import { db } from '@/test/database';
import { makeAdmin, makeAlias, makeApiKey, makeDomain, makeMailbox } from '@/test/factories';
import { makeMessage } from '@/test/mail/reported-message';

const login = `mta_test_${randomBytes(6).toString('hex')}`;
const password = randomBytes(12).toString('hex');
let mta: pg.Client;
let domain: { id: string; name: string };

beforeAll(async () => {
  await db.$executeRawUnsafe(readFileSync('deploy/mail/role.sql', 'utf8'));
  await db.$executeRawUnsafe(`CREATE ROLE ${login} LOGIN PASSWORD '${password}' IN ROLE mta_read`);
  const url = Object.assign(new URL(process.env.DATABASE_URL as string), { username: login, password });
  mta = new pg.Client(url.href);
  await mta.connect();
});

afterAll(async () => {
  await mta.end();
  await db.$executeRawUnsafe(`DROP ROLE ${login}`);
});

beforeEach(async () => {
  domain = await makeDomain();
});

async function callFunction(name: string, ...args: (string | null)[]): Promise<string[]> {
  const placeholders = args.map((_, index) => `$${index + 1}`).join(', ');
  const { rows } = await mta.query(`SELECT * FROM mta.${name}(${placeholders})`, args);
  return rows.map((row) => Object.values(row).join(' '));
}

const atCapital = () => domain.name.toUpperCase();
const deactivate = () => db.domain.update({ where: { id: domain.id }, data: { active: false } });

describe('a bounce address', () => {
  const local = `bounces+${'0a'.repeat(26)}`;
  const ask = (name: string, at: string, part = local) => callFunction(name, part, at);
  const host = `mail.${randomBytes(4).toString('hex')}.example`;

  beforeAll(async () => {
    const now = new Date();
    await db.mailAgent.create({
      data: { host, instance: crypto.randomUUID(), version: '1', startedAt: now, beatAt: now },
    });
  });

  it('is accepted at a domain and at the mail host, and goes to the agent', async () => {
    await makeMailbox(domain.id, 'bounces');
    for (const name of [domain.name, atCapital(), host]) {
      expect(await ask('rcpt_access', name)).toEqual(['OK']);
      expect(await ask('rcpt_access', name, local.toUpperCase())).toEqual(['OK']);
      expect(await ask('resolve', name, local.toUpperCase())).toEqual([`${local}@${name.toLowerCase()}`]);
      expect(await ask('report_transport', name)).toEqual(['reports']);
      expect(await ask('sender_logins', name)).toEqual(['postroom']);
    }
  });

  it('keeps that while the agent is stopped, and is deferred if no mail host is known', async () => {
    const now = new Date();
    const [instance, name] = [crypto.randomUUID(), `Mail.${randomBytes(4).toString('hex')}.example`];
    const agents = await db.mailAgent.findMany();
    const cursors = await db.mailCursor.findMany();
    onTestFinished(async () => {
      await db.mailCursor.deleteMany();
      await db.mailCursor.createMany({ data: cursors });
      await db.mailAgent.createMany({ data: agents as Prisma.MailAgentCreateManyInput[] });
    });
    await db.mailAgent.create({ data: { host: name, instance, version: '1', startedAt: now, beatAt: now } });
    await db.mailCursor.create({ data: { source: `${name} log`, file: 'a', position: '1' } });
    await detach(db, { host: name, instance, version: '1' });
    expect(await ask('rcpt_access', name)).toEqual(['OK']);
    expect(await ask('resolve', name)).toEqual([`${local}@${name.toLowerCase()}`]);
    expect(await ask('report_transport', name)).toEqual(['reports']);
    expect(await ask('sender_logins', name)).toEqual(['postroom']);
    await db.mailAgent.deleteMany();
    expect(await ask('rcpt_access', host)).toEqual([]);
    await db.mailCursor.deleteMany();
    expect(await ask('rcpt_access', host)).toEqual(['450 4.3.0 Try again later']);
    expect(await ask('rcpt_access', host, 'postmaster')).toEqual([]);
  });

  it('is nothing else, elsewhere, or at an inactive domain', async () => {
    for (const part of ['bounces', `${local}0`, local.slice(0, -1), 'dmarc-reports', 'postmaster']) {
      for (const name of ['rcpt_access', 'resolve', 'report_transport', 'sender_logins'])
        expect(await ask(name, host, part), `${name} ${part}`).toEqual([]);
    }
    for (const name of ['rcpt_access', 'resolve', 'report_transport', 'sender_logins'])
      expect(await ask(name, 'elsewhere.example')).toEqual([]);
    await deactivate();
    expect(await ask('rcpt_access', domain.name)).toEqual(['550 5.1.2 The domain does not accept mail']);
    expect(await ask('resolve', domain.name)).toEqual([]);
    // It was accepted before.
    expect(await ask('report_transport', domain.name)).toEqual(['reports']);
  });

  it('also resolves to where its message’s sender gets mail', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'shop', `ann@${domain.name}, x@far.example`);
    const message = await makeMessage(domain, 'delivered', ['bo@far.example']);
    const own = `bounces+${message.id.replaceAll('-', '')}${'0'.repeat(20)}`;
    expect(await ask('resolve', host, own)).toEqual([`${own}@${host}`, `ann@${domain.name}`, 'x@far.example']);
    const [id, unlogged] = [
      '0b9d7a1e-58a3-5c0f-9f0e-3f1f4f0c9a11',
      `bounces+0b9d7a1e58a35c0f9f0e3f1f4f0c9a11${'0'.repeat(20)}`,
    ];
    await db.countedSend.create({ data: { id, address: `shop@${domain.name}`, domainId: domain.id, at: new Date() } });
    const submitted = [`${unlogged}@${host}`, `ann@${domain.name}`, 'x@far.example'];
    expect(await ask('resolve', host, unlogged)).toEqual(submitted);
    await db.message.update({ where: { id: message.id }, data: { fromAddress: `${own}@${domain.name}` } });
    expect(await ask('resolve', host, own)).toEqual([`${own}@${host}`]);
  });
});

describe('a recipient', () => {
  it('is accepted if its address resolves, case-insensitively', async () => {
    await makeMailbox(domain.id, 'ann');
    expect(await callFunction('rcpt_access', 'ANN', atCapital())).toEqual(['OK']);
    expect(await callFunction('rcpt_access', 'bo', domain.name)).toEqual(['550 5.1.1 No such user']);
    await makeAlias(domain.id, '', 'x@far.example');
    expect(await callFunction('rcpt_access', 'bo', domain.name)).toEqual(['OK']);
  });

  it('is rejected if its alias has no working destination', async () => {
    await makeAlias(domain.id, 'old', `gone@${domain.name}`);
    expect(await callFunction('rcpt_access', 'old', domain.name)).toEqual(['550 5.1.1 No such user']);
  });

  it('of an inactive domain is rejected; of an unmanaged domain there is no answer', async () => {
    await makeMailbox(domain.id, 'ann');
    await deactivate();
    expect(await callFunction('rcpt_access', 'ann', domain.name)).toEqual([
      '550 5.1.2 The domain does not accept mail',
    ]);
    expect(await callFunction('rcpt_access', 'ann', 'elsewhere.example')).toEqual([]);
    expect(await callFunction('rcpt_access', 'ann', null)).toEqual([]);
  });

  it('to postmaster@ or abuse@ is the server’s if nothing in the domain takes it', async () => {
    const isRole = (local: string, name = atCapital()) => callFunction('is_role_address', local, name);
    for (const local of ['postmaster', 'Abuse']) {
      expect(await isRole(local)).toEqual(['1']);
      expect(await callFunction('rcpt_access', local, domain.name)).toEqual(['OK']);
    }
    await makeAlias(domain.id, 'abuse', 'x@far.example');
    expect([await isRole('abuse'), await isRole('ann'), await isRole('abuse', 'elsewhere.example')]).toEqual([
      [],
      [],
      [],
    ]);
    await deactivate();
    expect(await isRole('postmaster')).toEqual([]);
  });

  it('to a role address is deferred while the server’s postmaster is one that nothing takes', async () => {
    const answer = (local: string, name: string, postmaster = `Postmaster@${domain.name}`) =>
      callFunction('unread_role_address', local, name, postmaster);
    const host = `mail.${domain.name}`;
    const now = new Date();
    await db.mailAgent.create({ data: { host, instance: randomUUID(), version: '1', startedAt: now, beatAt: now } });
    const later = [`450 4.3.5 Postmaster@${domain.name} has no mailbox or alias yet, try again later`];
    for (const local of ['abuse', 'Postmaster']) expect(await answer(local, atCapital())).toEqual(later);
    expect(await answer('postmaster', host)).toEqual(later);
    for (const [local, name] of [
      ['ann', domain.name],
      ['abuse', host],
      ['abuse', 'elsewhere.example'],
    ] as const)
      expect(await answer(local, name)).toEqual([]);
    expect(await answer('abuse', domain.name, 'boss@elsewhere.example')).toEqual([]);
    await makeAlias(domain.id, 'postmaster', 'x@far.example');
    expect([await answer('abuse', domain.name), await answer('postmaster', host)]).toEqual([[], []]);
  });

  it('has a mailbox only if the mailbox and its domain are active', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    expect(await callFunction('mailbox_exists', 'Ann', atCapital())).toEqual(['1']);
    expect(await callFunction('mailbox_exists', 'off', domain.name)).toEqual([]);
    await deactivate();
    expect(await callFunction('mailbox_exists', 'ann', domain.name)).toEqual([]);
  });
});

describe('a report', () => {
  it('goes to the agent, unless an active mailbox has the address', async () => {
    const transport = (local: string, name = atCapital()) => callFunction('report_transport', local, name);
    expect(await callFunction('rcpt_access', 'dmarc-reports', domain.name)).toEqual(['OK']);
    for (const local of ['dmarc-reports', 'TLS-Reports']) expect(await transport(local)).toEqual(['reports']);
    expect(await transport('ann')).toEqual([]);
    expect(await transport('dmarc-reports', 'elsewhere.example')).toEqual([]);
    const { id } = await makeMailbox(domain.id, 'dmarc-reports');
    expect(await transport('dmarc-reports')).toEqual([]);
    await db.mailbox.update({ where: { id }, data: { active: false } });
    expect(await transport('dmarc-reports')).toEqual(['reports']);
  });
});

it('a domain is managed whether or not it is active', async () => {
  expect(await callFunction('is_domain', atCapital())).toEqual(['1']);
  await deactivate();
  expect(await callFunction('is_domain', domain.name)).toEqual(['1']);
  expect(await callFunction('is_domain', 'elsewhere.example')).toEqual([]);
});

describe('a sender', () => {
  it('that is suspended is rejected, case-insensitively', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo', { suspendedAt: new Date() });
    expect(await callFunction('sender_access', 'ann', domain.name)).toEqual(['DUNNO']);
    expect(await callFunction('sender_access', 'nobody', domain.name)).toEqual(['DUNNO']);
    expect(await callFunction('sender_access', 'BO', atCapital())).toEqual([expect.stringMatching(/^550 5\.7\.1 /)]);
  });

  it('of an inactive domain is rejected; for an external one there is no answer', async () => {
    await deactivate();
    expect(await callFunction('sender_access', 'ann', domain.name)).toEqual([expect.stringMatching(/^550 5\.7\.1 /)]);
    expect(await callFunction('sender_access', 'ann', 'elsewhere.example')).toEqual([]);
  });

  it('can be used by its own active mailbox and by the app', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    expect(await callFunction('sender_logins', 'ANN', atCapital())).toEqual([`ann@${domain.name}`, 'postroom']);
    expect(await callFunction('sender_logins', 'off', domain.name)).toEqual(['postroom']);
    expect(await callFunction('sender_logins', 'nobody', domain.name)).toEqual(['postroom']);
    expect(await callFunction('sender_logins', 'ann', 'elsewhere.example')).toEqual([]);
    await deactivate();
    expect(await callFunction('sender_logins', 'ann', domain.name)).toEqual([]);
  });
});

describe('an API key', () => {
  const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
  const signIn = (key: string, client = '192.0.2.1') => callFunction('dovecot_key_login', hashOf(key), client);

  it('signs in with its hash while it can send, and only from its addresses', async () => {
    const { id: adminId } = await makeAdmin();
    const { key, row } = await makeApiKey(adminId);
    const signedIn = [`${row.id}@apikey {SHA256.HEX}${hashOf(key)}`];
    expect(await signIn(key)).toEqual(signedIn);
    expect(await callFunction('dovecot_key_login', hashOf(key).toUpperCase(), '::1')).toEqual(signedIn);
    const limited = await makeApiKey(adminId, { allowedIps: ['192.0.2.0/24', '2001:db8::/32'] });
    for (const client of ['192.0.2.9', '2001:db8::1']) expect(await signIn(limited.key, client)).toHaveLength(1);
    for (const client of ['192.0.3.1', '2001:db9::1', '', 'unix'])
      expect(await signIn(limited.key, client)).toEqual([]);
    const past = new Date(Date.now() - 1000);
    for (const over of [{ permissions: ['read', 'manage'] }, { expiresAt: past }]) {
      expect(await signIn((await makeApiKey(adminId, over)).key)).toEqual([]);
    }
    for (const given of ['', key, `${hashOf(key)}0`, "'; --"]) {
      expect(await callFunction('dovecot_key_login', given || null, '192.0.2.1')).toEqual([]);
    }
    await db.apiKey.delete({ where: { id: row.id } });
    expect(await signIn(key)).toEqual([]);
  });

  it('has its sender and recipients checked by the mail agent', async () => {
    expect(await callFunction('login_access', randomUUID(), 'apikey')).toEqual(['postroom_api_key']);
  });
});

describe('a signed-in mailbox', () => {
  it('can send only while it exists, is active and not suspended, and its domain is active', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    await makeMailbox(domain.id, 'bo', { suspendedAt: new Date() });
    expect(await callFunction('login_access', 'Ann', atCapital())).toEqual(['DUNNO']);
    for (const local of ['off', 'bo', 'deleted']) {
      expect(await callFunction('login_access', local, domain.name)).toEqual([expect.stringMatching(/^550 5\.7\.1 /)]);
    }
    await deactivate();
    expect(await callFunction('login_access', 'ann', domain.name)).toEqual([expect.stringMatching(/^550 5\.7\.1 /)]);
  });

  it('has its argon2id hash and its quota, where 0 bytes doesn’t mean "no limit"', async () => {
    const hashed = { passwordHash: '$argon2id$hash' };
    const free = await makeMailbox(domain.id, 'free', { ...hashed, suspendedAt: new Date() });
    const full = await makeMailbox(domain.id, 'full', hashed);
    await db.mailbox.update({ where: { id: full.id }, data: { quotaBytes: 0 } });
    const large = await makeMailbox(domain.id, 'large', hashed);
    await db.mailbox.update({ where: { id: large.id }, data: { quotaBytes: 5_000_000_000 } });
    const answer = (local: string, rule: string, { id }: { id: string }) => [
      `${local}@${domain.name} {ARGON2ID}$argon2id$hash ${rule} ${domain.name}/${local}/${id}`,
    ];
    expect(await callFunction('dovecot_login', `FREE@${atCapital()}`)).toEqual(answer('free', '*:bytes=0', free));
    expect(await callFunction('dovecot_login', `full@${domain.name}`)).toEqual(answer('full', '*:bytes=1', full));
    expect(await callFunction('dovecot_login', `large@${domain.name}`)).toEqual(
      answer('large', '*:bytes=5000000000', large),
    );
  });

  it('is answered in the same way to a Dovecot that the version before configured, but for an empty name', async () => {
    await makeMailbox(domain.id, 'ann');
    const whole = await callFunction('dovecot_login', `ann@${domain.name}`);
    expect(await callFunction('dovecot_login', 'ann', atCapital())).toEqual(whole);
    const found = await callFunction('dovecot_userdb', `ann@${domain.name}`, '/mail/', 'dict:');
    expect(await callFunction('dovecot_userdb', 'ann', domain.name, '/mail/', 'dict:')).toEqual(found);
    await expect(callFunction('dovecot_login', '', '')).rejects.toThrow('the_mail_server_gave_no_name');
    await expect(callFunction('dovecot_userdb', '', '', '/mail/', 'dict:')).rejects.toThrow(
      'the_mail_server_gave_no_name',
    );
  });

  it('exists only if the mailbox and its domain are active', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    expect(await callFunction('dovecot_login', `ann@${domain.name}`)).toHaveLength(1);
    for (const login of [`off@${domain.name}`, 'ann', domain.name, `@${domain.name}`, 'ann@', `ann@${domain.name}@x`]) {
      expect(await callFunction('dovecot_login', login)).toEqual([]);
    }
    await deactivate();
    expect(await callFunction('dovecot_login', `ann@${domain.name}`)).toEqual([]);
  });
});

describe('the filters of a mailbox', () => {
  const filter = (data: object, position = 0, over: object = {}) =>
    db.sieveFilter.create({ data: { scope: 'global', name: 'x', script: 'keep;', position, ...data, ...over } });
  const filtersOf = (local: string) => callFunction('sieve_filters', local, atCapital());
  const script = async (id: string) =>
    (await mta.query('SELECT * FROM mta.sieve_script WHERE owner = $1 AND filter = $2', ['filters', id])).rows;

  afterEach(() => db.sieveFilter.deleteMany());

  it('run global filters first, then the domain’s, then its own, each by position and then age', async () => {
    const { id: mailboxId } = await makeMailbox(domain.id, 'ann');
    const other = await makeMailbox(domain.id, 'bo');
    const own = { scope: 'mailbox', mailboxId };
    const ofDomain = { scope: 'domain', domainId: domain.id };
    const [b, a] = [await filter(own, 2), await filter(own, 1)];
    const [d, c] = [await filter(ofDomain, 7), await filter(ofDomain, 3)];
    const [f, e, g] = [await filter({}, 5), await filter({}, 4), await filter({}, 5, { createdAt: new Date(0) })];
    await filter(own, 0, { active: false });
    await filter({ scope: 'domain', domainId: (await makeDomain()).id });
    await filter({ scope: 'mailbox', mailboxId: other.id });
    expect(await filtersOf('ANN')).toEqual([e, g, f, c, d, a, b].map(({ id }) => id));
    expect(await filtersOf('nobody')).toEqual([]);
  });

  const settingsBy = (call: string) => async (local: string) => {
    const { rows } = await mta.query(`SELECT * FROM mta.${call}`, [`${local}@${atCapital()}`]);
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));
  };

  it('are settings of the mailbox for Dovecot 2.3, numbered from the second, and unset for the rest', async () => {
    const { id } = await makeMailbox(domain.id, 'ann');
    const userdb = settingsBy(`dovecot_userdb($1, '/mail/', 'dict:')`);
    const [one, two] = [await filter({}, 1), await filter({ scope: 'mailbox', mailboxId: id }, 1)];
    const mailbox = { user: `ann@${domain.name}`, quota_rule: '*:bytes=0', home: `/mail/${domain.name}/ann/${id}` };
    const filters = { sieve_before: `dict:${one.id}`, sieve_before2: `dict:${two.id}` };
    expect(await userdb('ANN')).toEqual([{ ...mailbox, ...filters }]);
    expect(await userdb('nobody')).toEqual([]);
    await db.sieveFilter.deleteMany();
    expect(await userdb('ann')).toEqual([mailbox]);
    await db.sieveFilter.createMany({
      data: Array.from({ length: 60 }, (_, position) => ({ scope: 'global', name: 'x', script: 'keep;', position })),
    });
    const [full] = await userdb('ann');
    expect(Object.keys(full ?? {}).filter((name) => /^sieve_before(\d+)?$/.test(name))).toHaveLength(60);
    await db.mailbox.update({ where: { id }, data: { active: false } });
    expect(await userdb('ann')).toEqual([]);
  });

  it('are settings of the mailbox for Dovecot 2.4, with a list of those that there are', async () => {
    const { id } = await makeMailbox(domain.id, 'ann');
    const userdb = settingsBy(`dovecot_2_4_userdb($1, '/mail/')`);
    const [one, two] = [await filter({}, 1), await filter({ scope: 'mailbox', mailboxId: id }, 1)];
    const mailbox = { user: `ann@${domain.name}`, home: `/mail/${domain.name}/ann/${id}` };
    const unlimited = { quota_storage_size: '0B', quota_storage_grace: '0B' };
    const filters = {
      'sieve_script+': 'filter1 filter2',
      'sieve_script/filter1/sieve_script_name': one.id,
      'sieve_script/filter1/dict': 'proxy',
      'sieve_script/filter2/sieve_script_name': two.id,
      'sieve_script/filter2/dict': 'proxy',
    };
    expect(await userdb('ANN')).toEqual([{ ...mailbox, ...unlimited, ...filters }]);
    expect(await userdb('nobody')).toEqual([]);
    await expect(settingsBy(`dovecot_2_4_userdb(left($1, 0), '/mail/')`)('ann')).rejects.toThrow('gave_no_name');
    await db.sieveFilter.deleteMany();
    await db.mailbox.update({ where: { id }, data: { quotaBytes: 5_000_000_009 } });
    const limited = { quota_storage_size: '5000000009B', quota_storage_grace: '500000000B' };
    expect(await userdb('ann')).toEqual([{ ...mailbox, ...limited }]);
    await db.sieveFilter.createMany({
      data: Array.from({ length: 60 }, (_, position) => ({ scope: 'global', name: 'x', script: 'keep;', position })),
    });
    const [full] = await userdb('ann');
    expect(Object.keys(full ?? {}).filter((name) => name.endsWith('/sieve_script_name'))).toHaveLength(60);
    expect(full?.['sieve_script+']).toMatch(/^filter1 filter2 .* filter59 filter60$/);
    await db.mailbox.update({ where: { id }, data: { active: false } });
    expect(await userdb('ann')).toEqual([]);
  });

  it('are returned as text, with a version that changes only with the text', async () => {
    const { id } = await filter({});
    const [before] = await script(id);
    expect(before).toMatchObject({ script: 'keep;' });
    await db.sieveFilter.update({ where: { id }, data: { name: 'y', position: 9 } });
    expect(await script(id)).toEqual([before]);
    await db.sieveFilter.update({ where: { id }, data: { script: 'stop;' } });
    const [after] = await script(id);
    expect(after).toMatchObject({ script: 'stop;' });
    expect(after.version).not.toBe(before.version);
    await db.sieveFilter.update({ where: { id }, data: { active: false } });
    expect(await script(id)).toEqual([]);
  });
});

// Dovecot escapes a name to an empty string while it isn't connected, and asks with it once it is connected again.
describe('a question without a name is an error, so that the mail server tries later', () => {
  it('to each function', async () => {
    const { rows } = await mta.query<{ name: string; args: string[] }>(`
      SELECT proname AS name, proargnames[1:pronargs] AS args FROM pg_proc
       WHERE pronamespace = 'mta'::regnamespace AND prorettype <> 'trigger'::regtype`);
    expect(rows.length).toBeGreaterThanOrEqual(10);
    for (const { name, args } of rows) {
      const names = args.filter((arg) => ['local', 'domain', 'address', 'key_hash'].includes(arg));
      expect(names, name).not.toEqual([]);
      for (const missing of names) {
        const call = callFunction(name, ...args.map((arg) => (arg === missing ? '' : 'x')));
        await expect(call, `${name} without ${missing}`).rejects.toThrow(/the_mail_server_gave_no_name/);
      }
    }
  });

  it.each([
    ['for a filter without an owner', "SELECT FROM mta.sieve_script WHERE owner = '' AND version = gen_random_uuid()"],
    ['for the version of a filter', "SELECT version FROM mta.sieve_script WHERE owner = 'filters' AND filter = ''"],
    ['for the script of a filter', "SELECT script FROM mta.sieve_script WHERE owner = 'filters' AND version = ''"],
    ['with a storage usage', "INSERT INTO mta.used_space (bytes, messages, address) VALUES (1, 1, '')"],
  ])('%s', async (_, statement) => {
    await expect(mta.query(statement)).rejects.toThrow(/invalid input|the_mail_server_gave_no_name/);
  });
});

describe('the storage usage of a mailbox', () => {
  const reportUsage = (address: string, bytes: number) =>
    mta.query(
      `INSERT INTO mta.used_space (bytes, messages, address) VALUES ($2, 1, $1)
       ON CONFLICT (address) DO UPDATE SET bytes = $2, messages = 1`,
      [address, bytes],
    );
  const usedBytes = async (id: string) => Number((await db.mailbox.findUniqueOrThrow({ where: { id } })).usedBytes);

  it('is what Dovecot reports for that mailbox, and never negative', async () => {
    const [ann, bo] = [await makeMailbox(domain.id, 'ann'), await makeMailbox(domain.id, 'bo')];
    await reportUsage(`Ann@${atCapital()}`, 4_000_000_000);
    expect([await usedBytes(ann.id), await usedBytes(bo.id)]).toEqual([4_000_000_000, 0]);
    await reportUsage(`ann@${domain.name}`, -5);
    expect(await usedBytes(ann.id)).toBe(0);
    const { updatedAt } = await db.mailbox.findUniqueOrThrow({ where: { id: ann.id } });
    expect(updatedAt).toEqual(ann.updatedAt);
  });

  it('isn’t stored for an unknown mailbox', async () => {
    await reportUsage(`nobody@${domain.name}`, 1);
    expect(await db.$queryRaw`SELECT * FROM mta.used_space`).toEqual([]);
  });
});

describe("the mail server's role", () => {
  it.each([
    ['can’t read a table', 'SELECT * FROM public.mailbox'],
    ['can’t read another table of the app', 'SELECT * FROM public.admin'],
    ['can’t call another function of the app', "SELECT public.search_key('x')"],
    ['can’t read the filter table behind its view', 'SELECT * FROM public.sieve_filter'],
    ['can’t change a filter', "UPDATE mta.sieve_script SET script = 'keep;'"],
    ['can’t update a row', "UPDATE public.mailbox SET local_part = 'x'"],
    ['can’t delete a row', 'DELETE FROM public.domain'],
    ['can’t create a temporary table', 'CREATE TEMP TABLE domain (id int)'],
    ['can’t create a large object', 'SELECT lo_create(0)'],
    ['can’t fill a large object', "SELECT lo_from_bytea(0, 'x')"],
    ['can’t create a table', 'CREATE TABLE public.x (id int)'],
    ['can’t create a table in its own schema', 'CREATE TABLE mta.x (id int)'],
    [
      'can’t replace one of its functions',
      "CREATE OR REPLACE FUNCTION mta.is_domain(domain text) RETURNS SETOF integer LANGUAGE sql AS 'SELECT 1'",
    ],
    ['can’t create a role', 'CREATE ROLE x'],
  ])('%s', async (_, statement) => {
    await expect(mta.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  it('can use only the table and the view that Dovecot needs', async () => {
    const { rows } = await mta.query(`
      SELECT c.oid::regclass::text AS name, has_any_column_privilege(c.oid, 'SELECT') AS reads,
             has_any_column_privilege(c.oid, 'INSERT, UPDATE') AS writes
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v', 'm', 'S', 'p')
         AND CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, 'USAGE, SELECT, UPDATE')
             ELSE has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
               OR has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER') END
       ORDER BY 1`);
    expect(rows).toEqual([
      { name: 'mta.sieve_script', reads: true, writes: false },
      { name: 'mta.used_space', reads: true, writes: true },
    ]);
  });

  it('can call every function of mta, and no other role can', async () => {
    const { rows } = await mta.query(`
      SELECT p.proname, has_function_privilege(p.oid, 'EXECUTE') AS granted,
             EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 0) AS public
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'mta'`);
    expect(rows.length).toBeGreaterThanOrEqual(11);
    expect(rows.filter((row) => !row.granted || row.public)).toEqual([]);
  });
});
