import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { createContext } from '@/server/procedures/context';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { admitSubmission } from './submission';

const clock = manualClock('2026-11-21T10:00:00Z');
const context = { ...createContext(new Request('http://localhost:3000')), clock };

let domain: { id: string; name: string };
let mailbox: { id: string };
let address: string;

beforeEach(async () => {
  await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 2, domainHourly: 1000 } });
  domain = await makeDomain();
  mailbox = await makeMailbox(domain.id, 'ann');
  address = `ann@${domain.name}`;
});

const submit = (login = address, id = uuidv7(), recipientCount = 1) =>
  admitSubmission(context, { id, sender: login, recipientCount });
const counted = () => db.countedSend.findMany({ where: { domainId: domain.id } });
const suspendedAt = async () => (await db.mailbox.findUniqueOrThrow({ where: { id: mailbox.id } })).suspendedAt;

describe('a message submitted by SMTP', () => {
  it('counts once, however often it is checked', async () => {
    const id = uuidv7();
    for (const _ of [1, 2, 3]) expect(await submit(address, id)).toBe('DUNNO');
    expect(await counted()).toMatchObject([{ id, address: address, at: clock.now() }]);
  });

  it('counts once with concurrent checks', async () => {
    const id = uuidv7();
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(address, id)));
    expect(answers).toEqual(Array(8).fill('DUNNO'));
    expect(await counted()).toHaveLength(1);
  });

  it('that was counted is accepted even after the limit is reached and the mailbox is suspended', async () => {
    const id = uuidv7();
    await submit(address, id);
    await submit();
    expect(await submit()).toMatch(/^450 /);
    expect(await submit(address, id)).toBe('DUNNO');
  });

  it('has as many recipients as one of the API, or is rejected and does not count', async () => {
    expect(await submit(address, uuidv7(), 101)).toBe('550 5.5.3 A message can have at most 100 recipients');
    expect(await counted()).toEqual([]);
    expect(await submit(address, uuidv7(), 100)).toBe('DUNNO');
  });

  it('counts for the mailbox regardless of the letter case of the login', async () => {
    expect(await submit(address.toUpperCase())).toBe('DUNNO');
    expect(await submit(`Ann@${domain.name}`)).toBe('DUNNO');
    expect(await submit()).toMatch(/^450 4\.7\.1 /);
    expect((await counted()).map(({ address }) => address)).toEqual([address, address]);
  });

  it('over the limit is deferred and suspends the mailbox once; the next is rejected', async () => {
    await submit();
    await submit();
    expect(await submit()).toBe(
      `450 4.7.1 ${address} has sent 2 messages in the last hour; the hourly limit is 2. The mailbox is suspended until an admin unsuspends it.`,
    );
    expect(await suspendedAt()).toEqual(clock.now());
    expect(await submit()).toBe('550 5.7.1 The mailbox is suspended from sending');
    expect(await counted()).toHaveLength(2);
    const suspensions = { resource: `mailbox:${mailbox.id}`, action: 'mailbox.suspend' };
    expect(await db.auditEntry.count({ where: suspensions })).toBe(1);
    expect(await db.alert.findMany({ where: { domainId: domain.id } })).toMatchObject([
      { kind: 'mailbox_suspended', subject: address },
    ]);
  });

  it('among concurrent ones is accepted only within the limit', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit()));
    expect(answers.filter((answer) => answer === 'DUNNO')).toHaveLength(2);
    expect(answers.filter((answer) => !/^(DUNNO|450 4\.7\.1 |550 5\.7\.1 )/.test(answer))).toEqual([]);
    expect(await counted()).toHaveLength(2);
  });

  it('over the limit of its domain is deferred and suspends no mailbox', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 1 } });
    await submit();
    const refusal = `450 4.7.1 ${domain.name} has sent 1 message in the last hour; the hourly limit is 1. Try again after `;
    const wayOut = 'An admin can raise the limit in the settings of the domain';
    expect(await submit()).toMatch(new RegExp(`^${refusal}\\d\\d:\\d\\d UTC\\. ${wayOut}\\.$`));
    expect(await suspendedAt()).toBeNull();
  });

  it('of a suspended mailbox is rejected and does not count', async () => {
    await db.mailbox.update({ where: { id: mailbox.id }, data: { suspendedAt: clock.now() } });
    expect(await submit()).toMatch(/^550 5\.7\.1 /);
    expect(await counted()).toEqual([]);
  });

  it.each([
    ['a domain that is not managed', () => `ann@${unique()}.example`],
    ['a login that is no address', () => 'root'],
    ['an empty login', () => ''],
    ['an address with extra lines', () => `${address}\n450 x`],
  ])('from %s is rejected', async (_case, login) => {
    expect(await submit(login())).toBe('550 5.7.1 This mailbox is not allowed to send');
  });
});
