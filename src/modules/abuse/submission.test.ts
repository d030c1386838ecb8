import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '@/server/context';
import { stillClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { admitSubmission } from './submission';

const clock = stillClock('2026-11-21T10:00:00Z');
const context = { ...createContext(new Request('http://localhost:3000')), clock };

let domain: { id: string; name: string };
let mailbox: { id: string };
let ann: string;

beforeEach(async () => {
  await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 2, domainHourly: 1000 } });
  domain = await makeDomain();
  mailbox = await makeMailbox(domain.id, 'ann');
  ann = `ann@${domain.name}`;
});

const ask = (login = ann, id = uuidv7()) => admitSubmission(context, { id, login });
const counted = () => db.countedSend.findMany({ where: { domainId: domain.id } });
const suspendedAt = async () => (await db.mailbox.findUniqueOrThrow({ where: { id: mailbox.id } })).suspendedAt;

describe('a message that a mailbox submits', () => {
  it('counts once, however often it is asked about', async () => {
    const id = uuidv7();
    for (const _ of [1, 2, 3]) expect(await ask(ann, id)).toBe('DUNNO');
    expect(await counted()).toMatchObject([{ id, address: ann, at: clock.now() }]);
  });

  it('counts once where it is asked about by several at the same time', async () => {
    const id = uuidv7();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(ann, id)));
    expect(answers).toEqual(Array(8).fill('DUNNO'));
    expect(await counted()).toHaveLength(1);
  });

  it('that was counted goes on though the limit is reached since, and the mailbox is suspended', async () => {
    const id = uuidv7();
    await ask(ann, id);
    await ask();
    expect(await ask()).toMatch(/^450 /);
    expect(await ask(ann, id)).toBe('DUNNO');
  });

  it('counts for the mailbox in whatever letter case it signed in', async () => {
    expect(await ask(ann.toUpperCase())).toBe('DUNNO');
    expect(await ask(`Ann@${domain.name}`)).toBe('DUNNO');
    expect(await ask()).toMatch(/^450 4\.7\.1 /);
    expect((await counted()).map(({ address }) => address)).toEqual([ann, ann]);
  });

  it('over the limit is put off and suspends the mailbox, once; the next is refused', async () => {
    await ask();
    await ask();
    expect(await ask()).toBe(
      `450 4.7.1 ${ann} has sent 2 messages in the last hour, and the limit is 2 an hour. The mailbox is suspended.`,
    );
    expect(await suspendedAt()).toEqual(clock.now());
    expect(await ask()).toBe('550 5.7.1 The mailbox is suspended from sending');
    expect(await counted()).toHaveLength(2);
    const suspensions = { resource: `mailbox:${mailbox.id}`, action: 'mailbox.suspend' };
    expect(await db.auditEntry.count({ where: suspensions })).toBe(1);
    expect(await db.abuseAlert.findMany({ where: { domainId: domain.id } })).toMatchObject([
      { kind: 'mailbox_suspended', subject: ann },
    ]);
  });

  it('among many at once passes within the limit only', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(answers.filter((answer) => answer === 'DUNNO')).toHaveLength(2);
    expect(answers.filter((answer) => !/^(DUNNO|450 4\.7\.1 |550 5\.7\.1 )/.test(answer))).toEqual([]);
    expect(await counted()).toHaveLength(2);
  });

  it('over the limit of its domain is put off, and suspends nobody', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 1 } });
    await ask();
    expect(await ask()).toBe(
      `450 4.7.1 ${domain.name} has sent 1 messages in the last hour, and the limit is 1 an hour.`,
    );
    expect(await suspendedAt()).toBeNull();
  });

  it('of a suspended mailbox is refused for good, and does not count', async () => {
    await db.mailbox.update({ where: { id: mailbox.id }, data: { suspendedAt: clock.now() } });
    expect(await ask()).toMatch(/^550 5\.7\.1 /);
    expect(await counted()).toEqual([]);
  });

  it.each([
    ['a domain that is not ours', () => `ann@${unique()}.example`],
    ['no address', () => 'root'],
    ['nothing', () => ''],
    ['an address with more in it', () => `${ann}\n450 x`],
  ])('by %s is refused', async (_case, login) => {
    expect(await ask(login())).toBe('550 5.7.1 This mailbox may not send');
  });
});
