import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { createContext } from '@/server/procedures/context';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, makeMailbox, makeSuppression } from '@/test/factories';
import { admitByKey, checkKeyRecipient } from './by-key';

type Restrictions = NonNullable<Parameters<typeof makeApiKey>[1]>;

const clock = manualClock('2026-11-21T10:00:00Z');
let domain: { id: string; name: string };
let admin: { id: string };
let ip: string;

const at = (local: string) => `${local}@${domain.name}`;
const context = () => {
  const created = createContext(new Request('http://localhost:3000'), clock);
  return { ...created, request: { ...created.request, ip } };
};

beforeEach(async () => {
  ip = '192.0.2.1';
  domain = await makeDomain();
  admin = await makeAdmin();
});

async function makeKey(over: Restrictions = {}) {
  const { row } = await makeApiKey(admin.id, over);
  return row.id;
}

const check = (keyId: string, sender = at('shop'), recipient = 'x@far.example') =>
  checkKeyRecipient(context(), { keyId, sender }, recipient);
const admit = (keyId: string, id = uuidv7(), recipients = 1) =>
  admitByKey(context(), { keyId, sender: at('shop') }, id, recipients);

describe('a key that submits by SMTP', () => {
  it('sends from any address of its domains, and is shown as used', async () => {
    const keyId = await makeKey({ scopedDomainIds: [domain.id] });
    expect(await check(keyId)).toBe('DUNNO');
    expect(await check(keyId, at('Anything').toUpperCase())).toBe('DUNNO');
    expect(await db.apiKey.findUniqueOrThrow({ where: { id: keyId } })).toMatchObject({ lastUsedAt: clock.now() });
  });

  it.each<[string, () => Restrictions, string, RegExp]>([
    ['without the permission to send', () => ({ permissions: ['read'] }), '', /^550 5\.7\.1 .*permission "send"/],
    ['from another address', () => ({ allowedIps: ['198.51.100.0/24'] }), '', /^550 5\.7\.1 .*from 192\.0\.2\.1/],
    ['as another sender', () => ({ senders: [at('billing')] }), '', /^550 5\.7\.1 .*can’t send as shop@/],
    ['after it expired', () => ({ expiresAt: clock.now() }), '', /^550 5\.7\.1 .*has expired/],
    ['from a domain that isn’t managed here', () => ({}), 'x@elsewhere.example', /^550 5\.7\.1 .*is not managed/],
    ['with the null sender', () => ({}), '<>', /^550 5\.7\.1 .*plain address/],
    ['as a bounce address', () => ({}), `bounces+${'0'.repeat(52)}@far.example`, /^550 5\.7\.1 .*plain address/],
  ])('is refused %s', async (_, over, sender, answer) => {
    const keyId = await makeKey(over());
    expect(await check(keyId, sender === '<>' ? '' : sender || undefined)).toMatch(answer);
  });

  it('is refused outside of its scope, for an inactive domain, and once it is revoked', async () => {
    const other = await makeDomain();
    const scoped = await makeKey({ scopedDomainIds: [other.id] });
    expect(await check(scoped)).toMatch(/^550 5\.7\.1 .*not scoped to the domain/);
    const domainAdmin = await makeAdmin({ role: 'domain_admin', domainIds: [other.id] });
    const { row } = await makeApiKey(domainAdmin.id);
    expect(await check(row.id)).toMatch(/^550 5\.7\.1 You are not assigned/);
    const keyId = await makeKey();
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await check(keyId)).toMatch(/^550 5\.7\.1 .*is inactive/);
    await db.domain.update({ where: { id: domain.id }, data: { active: true } });
    await db.apiKey.delete({ where: { id: keyId } });
    expect(await check(keyId)).toBe('550 5.7.1 This API key was revoked.');
    expect(await admit(keyId)).toBe('550 5.7.1 This API key was revoked.');
  });

  it('can’t send to a suppressed recipient, except to one with a mailbox here', async () => {
    const keyId = await makeKey();
    await makeMailbox(domain.id, 'ann');
    for (const email of ['gone@far.example', at('ann')]) await makeSuppression(domain.id, email);
    expect(await check(keyId, at('shop'), 'Gone+tag@far.example')).toMatch(
      /^550 5\.7\.1 Gone\+tag@far\.example is suppressed \(\w+\)$/,
    );
    expect(await check(keyId, at('shop'), at('ann'))).toBe('DUNNO');
    for (const spelling of ['gone@far.example.', '@a.example:gone@far.example', 'gone%far.example@a.example', 'gone'])
      expect(await check(keyId, at('shop'), spelling), spelling).toMatch(/^550 5\./);
  });

  it('sends a message to as many recipients as POST /send', async () => {
    const keyId = await makeKey();
    expect(await admit(keyId, uuidv7(), 100)).toBe('DUNNO');
    expect(await admit(keyId, uuidv7(), 101)).toBe('550 5.5.3 A message can have at most 100 recipients');
  });

  it('counts towards the hourly limit of its sender once, however often it is checked', async () => {
    const [keyId, id] = [await makeKey(), uuidv7()];
    for (const _ of [1, 2]) expect(await admit(keyId, id)).toBe('DUNNO');
    expect(await db.countedSend.findMany({ where: { domainId: domain.id } })).toMatchObject([
      { id, address: at('shop') },
    ]);
  });

  it('is deferred beyond its own limit and that of the key that created it', async () => {
    const parent = await makeKey({ rateLimit: 2 });
    const child = await makeKey({ rateLimit: 100, parentId: parent });
    const id = uuidv7();
    expect(await admit(child, id)).toBe('DUNNO');
    expect(await admit(child, id)).toBe('DUNNO');
    expect(await admit(parent)).toBe('DUNNO');
    expect(await admit(child)).toMatch(/^450 4\.7\.1 The API key that created this one exceeded 2 requests per minute/);
  });
});
