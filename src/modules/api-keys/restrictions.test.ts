import { describe, expect, it } from 'vitest';
import { makeDomain } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';

const message = (from: string) => ({
  from: { email: from },
  to: [{ email: 'ann@far.example' }],
  subject: 'Hello',
  text_body: 'Good morning.',
});

describe('the permissions of a key', () => {
  it('decide which calls it can make', async () => {
    const domain = await makeDomain();
    const calls = {
      send: (api: Awaited<ReturnType<typeof keyClient>>) => api.post('/send', message(`shop@${domain.name}`)),
      read: (api: Awaited<ReturnType<typeof keyClient>>) => api.get('/messages'),
      manage: (api: Awaited<ReturnType<typeof keyClient>>) =>
        api.patch(`/domains/${domain.id}`, { description: 'The shop' }),
    };
    for (const permission of ['send', 'read', 'manage'] as const) {
      const api = await keyClient({ permissions: [permission] });
      for (const [needed, call] of Object.entries(calls)) {
        const answer = await call(api);
        if (needed === permission) expect(answer.status).toBe(200);
        else expectError(answer, 403, 'FORBIDDEN');
      }
      expect((await api.get('/auth/me')).status).toBe(200);
    }
  });

  it.each([
    ['/send', message('a@b.example')],
    ['/send/batch', { messages: [message('a@b.example')] }],
    ['/messages/019ac000-0000-7000-8000-000000000000/resend', {}],
  ])('include send for %s, and the error names it', async (path, body) => {
    const api = await keyClient({ permissions: ['read', 'manage'] });
    expect(expectError(await api.post(path, body), 403, 'FORBIDDEN').error).toMatchObject({
      message: expect.stringContaining('"send"'),
      details: { required_permission: 'send' },
    });
  });
});

describe('the client addresses of a key', () => {
  it.each([
    ['203.0.113.7', ['203.0.113.7'], true],
    ['203.0.113.8', ['203.0.113.7'], false],
    ['203.0.113.8', ['198.51.100.1', '203.0.113.0/24'], true],
    ['2001:db8:1::5', ['2001:db8:1::/48'], true],
    ['2001:db8:2::5', ['2001:db8:1::/48'], false],
    ['2001:db8:1:0:0:0:0:5', ['2001:db8:1::5'], true],
    ['203.0.113.7', ['::/0'], false],
    ['::ffff:203.0.113.7', ['203.0.113.7'], true],
  ])('%s with %j: %s', async (ip, allowedIps, isAllowed) => {
    const { key } = await keyClient({ allowedIps });
    const api = client({ authorization: `Bearer ${key}`, 'x-postroom-client-ip': ip });
    const answer = await api.get('/domains');
    if (isAllowed) expect(answer.status).toBe(200);
    else expect(expectError(answer, 403, 'FORBIDDEN').error?.message).toContain(ip);
  });
});

describe('the senders of a key', () => {
  it('decide as whom it can send, in any letter case', async () => {
    const [shop, other] = [await makeDomain(), await makeDomain()];
    const api = await keyClient({ senders: [`orders@${shop.name}`, `@${other.name}`] });
    const statusOf = async (from: string) => (await api.post('/send', message(from))).status;
    expect(await statusOf(`orders@${shop.name}`)).toBe(200);
    expect(await statusOf(`Orders@${shop.name.toUpperCase()}`)).toBe(200);
    expect(await statusOf(`anyone@${other.name}`)).toBe(200);
    expect(await statusOf(`ceo@${shop.name}`)).toBe(403);
    expect(await statusOf(`orders@sub.${other.name}`)).toBe(403);
    const batch = await api.post('/send/batch', { messages: [`orders@${shop.name}`, `ceo@${shop.name}`].map(message) });
    expect(batch.data.results).toMatchObject([
      { index: 0, message_id: expect.any(String) },
      { index: 1, code: 'FORBIDDEN' },
    ]);
  });
});

describe('a restricted key', () => {
  it('is created with what it is given, each once and in lower case, and lists it', async () => {
    const browser = await sessionClient();
    const { data } = await browser.post('/api-keys', {
      name: 'Shop',
      permissions: ['read', 'send', 'send'],
      allowed_ips: ['203.0.113.7', '2001:db8::/32', '203.0.113.7'],
      senders: ['Orders@Shop.example', '@BÜCHER.example'],
    });
    const restrictions = {
      permissions: ['send', 'read'],
      allowed_ips: ['203.0.113.7', '2001:db8::/32'],
      senders: ['orders@shop.example', '@xn--bcher-kva.example'],
    };
    expect(data.api_key).toMatchObject(restrictions);
    expect((await browser.get(`/api-keys?q=${data.api_key.key_prefix}`)).data[0]).toMatchObject(restrictions);
  });

  it.each([
    ['permissions', [], 'Select what the key may do.'],
    ['permissions', ['delete'], expect.any(String)],
    ['allowed_ips', ['203.0.113.300'], expect.stringContaining('203.0.113.7')],
    ['allowed_ips', ['203.0.113.0/33'], expect.stringContaining('203.0.113.7')],
    ['senders', ['shop'], expect.stringContaining('shop@example.com')],
    ['senders', ['@localhost'], expect.stringContaining('shop@example.com')],
  ])('with the %s %j is refused with the reason', async (field, value, reason) => {
    const answer = await (await sessionClient()).post('/api-keys', { name: 'Shop', [field]: value });
    expect(expectError(answer, 400, 'VALIDATION_ERROR').error?.details?.fields?.[0]).toMatchObject({
      path: expect.stringContaining(field),
      message: reason,
    });
  });

  it('creates only keys that are restricted as much', async () => {
    const api = await keyClient({
      permissions: ['send', 'manage'],
      allowedIps: ['203.0.113.0/24', '2001:db8::/32'],
      senders: ['@shop.example', 'ann@far.example'],
    });
    const inside = client({ authorization: `Bearer ${api.key}`, 'x-postroom-client-ip': '203.0.113.7' });
    const within = { permissions: ['send'], allowed_ips: ['203.0.113.128/25'], senders: ['bo@shop.example'] };
    const create = (over: object) => inside.post('/api-keys', { name: 'Child', ...within, ...over });
    expect((await create({})).status).toBe(201);
    expect((await create({ senders: ['@shop.example'], allowed_ips: ['2001:db8:5::1'] })).status).toBe(201);
    for (const [field, value] of Object.entries({
      permissions: ['send', 'read'],
      allowed_ips: ['203.0.112.0/23'],
      senders: ['@far.example'],
    })) {
      const refused = expectError(await create({ [field]: value }), 403, 'FORBIDDEN');
      expect(refused.error?.details?.fields?.[0]?.path).toBe(field);
      if (field !== 'permissions') expectError(await create({ [field]: [] }), 403, 'FORBIDDEN');
    }
    expectError(await inside.post('/api-keys', { name: 'Child' }), 403, 'FORBIDDEN');
  });
});
