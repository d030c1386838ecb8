import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';

const NO_NAME = /the_mail_server_gave_no_name/;

let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

async function resolve(local: string | null, name: string | null = domain.name): Promise<string[]> {
  const rows = await db.$queryRaw<{ address: string }[]>`SELECT mta.resolve(${local}, ${name}) AS address`;
  return rows.map(({ address }) => address);
}

describe('an address', () => {
  it('resolves to its mailbox, else an alias, else the catch-all, else nothing', async () => {
    expect(await resolve('ann')).toEqual([]);
    await makeAlias(domain.id, '', 'catchall@far.example');
    expect(await resolve('ann')).toEqual(['catchall@far.example']);
    await makeAlias(domain.id, 'ann', 'alias@far.example');
    expect(await resolve('ann')).toEqual(['alias@far.example']);
    await makeMailbox(domain.id, 'ann');
    expect(await resolve('ann')).toEqual([`ann@${domain.name}`]);
    expect(await resolve('bo')).toEqual(['catchall@far.example']);
  });

  it('is matched regardless of case', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'info', 'x@far.example');
    expect(await resolve('ANN', domain.name.toUpperCase())).toEqual([`ann@${domain.name}`]);
    expect(await resolve('Info')).toEqual(['x@far.example']);
  });

  it('resolves to nothing in an inactive or unmanaged domain', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, '', 'x@far.example');
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await resolve('ann')).toEqual([]);
    expect(await resolve('ann', 'elsewhere.example')).toEqual([]);
  });

  it('skips an inactive mailbox and an inactive alias', async () => {
    await makeMailbox(domain.id, 'ann', { active: false });
    await makeAlias(domain.id, 'ann', 'alias@far.example', { active: false });
    expect(await resolve('ann')).toEqual([]);
    await makeAlias(domain.id, '', 'catchall@far.example');
    expect(await resolve('ann')).toEqual(['catchall@far.example']);
    await db.alias.updateMany({ where: { sourceLocalPart: 'ann' }, data: { active: true } });
    expect(await resolve('ann')).toEqual(['alias@far.example']);
  });

  it('of a suspended mailbox still receives mail', async () => {
    await makeMailbox(domain.id, 'ann', { suspendedAt: new Date() });
    expect(await resolve('ann')).toEqual([`ann@${domain.name}`]);
  });

  it('without a local part or domain resolves to nothing or is an error, and never the catch-all', async () => {
    await makeAlias(domain.id, '', 'catchall@far.example');
    await expect(resolve('')).rejects.toThrow(NO_NAME);
    await expect(resolve('ann', '')).rejects.toThrow(NO_NAME);
    expect(await resolve(null)).toEqual([]);
    expect(await resolve('ann', null)).toEqual([]);
  });
});

describe('an address with a tag', () => {
  it('resolves like the address without it, unless a mailbox or alias has the tagged address', async () => {
    await makeAlias(domain.id, '', 'catchall@far.example');
    expect(await resolve('ann+shop')).toEqual(['catchall@far.example']);
    await makeAlias(domain.id, 'ann', 'alias@far.example');
    expect(await resolve('ann+shop')).toEqual(['alias@far.example']);
    await makeMailbox(domain.id, 'ann');
    expect(await resolve('Ann+Shop+2')).toEqual([`ann@${domain.name}`]);
    await makeAlias(domain.id, 'ann+shop', 'tagged@far.example');
    expect(await resolve('ann+shop')).toEqual(['tagged@far.example']);
    await makeMailbox(domain.id, 'ann+shop');
    expect(await resolve('ann+shop')).toEqual([`ann+shop@${domain.name}`]);
    expect(await resolve('ann+news')).toEqual([`ann@${domain.name}`]);
  });

  it('resolves to the catch-all, or to nothing, if nobody has the address without it', async () => {
    await makeMailbox(domain.id, 'ann');
    for (const local of ['bo+shop', '+ann', '+']) expect(await resolve(local)).toEqual([]);
    await makeAlias(domain.id, '', 'catchall@far.example');
    for (const local of ['bo+shop', '+ann', '+']) expect(await resolve(local)).toEqual(['catchall@far.example']);
  });

  it('as a destination of an alias is the mailbox', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'info', 'x@far.example');
    await makeAlias(domain.id, 'team', `ann+team@${domain.name},info+team@${domain.name},y+z@far.example`);
    expect(await resolve('team')).toEqual([`ann@${domain.name}`, 'y+z@far.example']);
    await makeMailbox(domain.id, 'ann+team');
    expect(await resolve('team')).toEqual([`ann+team@${domain.name}`, 'y+z@far.example']);
  });
});

describe('the destinations of an alias', () => {
  it('keep their order without duplicates, ignoring spaces and the case of local ones', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(
      domain.id,
      'team',
      ` Z@far.example,  ANN@${domain.name} ,b@far.example,ann@${domain.name},z@far.example,`,
    );
    expect(await resolve('team')).toEqual(['Z@far.example', `ann@${domain.name}`, 'b@far.example', 'z@far.example']);
  });

  it('that are local include only active mailboxes, so that nothing chains or loops', async () => {
    const inactive = await makeDomain({ active: false });
    await makeMailbox(domain.id, 'on');
    await makeMailbox(domain.id, 'off', { active: false });
    await makeMailbox(inactive.id, 'ann');
    await makeAlias(domain.id, 'next', `on@${domain.name}`);
    await makeAlias(domain.id, '', `on@${domain.name}`);
    const parts = ['on', 'off', 'next', 'nobody', 'self'].map((local) => `${local}@${domain.name}`);
    await makeAlias(domain.id, 'self', [...parts, `ann@${inactive.name}`, 'x@far.example'].join(','));
    expect(await resolve('self')).toEqual([`on@${domain.name}`, 'x@far.example']);
  });

  it('resolve to nothing if all mailboxes were deleted, without falling back to the catch-all', async () => {
    await makeMailbox(domain.id, 'on');
    await makeAlias(domain.id, '', `on@${domain.name}`);
    await makeAlias(domain.id, 'old', `gone@${domain.name}`);
    expect(await resolve('old')).toEqual([]);
  });

  it('can be mailboxes of other managed domains', async () => {
    const other = await makeDomain();
    await makeMailbox(other.id, 'li');
    await makeAlias(domain.id, 'li', `li@${other.name}`);
    expect(await resolve('li')).toEqual([`li@${other.name}`]);
  });
});

it('a role with only the EXECUTE privilege can resolve addresses, other roles cannot', async () => {
  await makeMailbox(domain.id, 'ann');
  const as = (role: string) =>
    db.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`SET LOCAL ROLE ${role}`);
      return tx.$queryRaw<object[]>`SELECT mta.resolve('ann', ${domain.name}) AS address`;
    });
  const name = `reader_${domain.id.replaceAll('-', '')}`;
  await db.$executeRawUnsafe(`CREATE ROLE ${name}`);
  try {
    await expect(as(name)).rejects.toThrow(/permission denied/);
    await db.$executeRawUnsafe(`GRANT USAGE ON SCHEMA mta TO ${name}`);
    await expect(as(name)).rejects.toThrow(/permission denied/);
    await db.$executeRawUnsafe(`GRANT EXECUTE ON FUNCTION mta.resolve TO ${name}`);
    expect(await as(name)).toEqual([{ address: `ann@${domain.name}` }]);
  } finally {
    await db.$executeRawUnsafe(`DROP OWNED BY ${name}`);
    await db.$executeRawUnsafe(`DROP ROLE ${name}`);
  }
});

it('a local part with upper-case letters is rejected', async () => {
  await expect(makeMailbox(domain.id, 'Ann')).rejects.toThrow();
  await expect(makeAlias(domain.id, 'Info', 'x@far.example')).rejects.toThrow();
});
