import { beforeEach, describe, expect, it } from 'vitest';
import { listen } from '@/server/background/notifications';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { findSessionsToEnd, SIGN_INS_CHANNEL } from './open-sessions';

let domain: { id: string; name: string };
let ann: { id: string };
const MINUTE = 60;

beforeEach(async () => {
  domain = await makeDomain();
  const over = { createdAt: new Date(Date.now() - 60 * MINUTE * 1000) };
  ann = await makeMailbox(domain.id, 'ann', over);
  await makeMailbox(domain.id, 'bo', over);
});

/** Returns which sessions of Ann ended, by how long they had been open, and how many of Bo's. */
async function ended() {
  const ages = [5, MINUTE, 90 * MINUTE];
  const sessions = ['Ann', 'bo'].flatMap((local) =>
    ages.map((secondsOpen) => ({ address: `${local}@${domain.name}`, secondsOpen })),
  );
  const found = await findSessionsToEnd(db, sessions);
  const of = (local: string) => found.filter(({ address }) => address.startsWith(local));
  return {
    ann: of('Ann')
      .map(({ secondsOpen }) => secondsOpen)
      .toSorted((one, other) => one - other),
    bo: of('bo').length,
  };
}

describe('sessions of a mailbox end', () => {
  it('that began before it was created, which are of another one with its address', async () => {
    expect(await ended()).toEqual({ ann: [90 * MINUTE], bo: 1 });
  });

  it('and those that began after the change stay', async () => {
    const signInsValidFrom = new Date(Date.now() - 30_000);
    await db.mailbox.update({ where: { id: ann.id }, data: { signInsValidFrom } });
    expect(await ended()).toEqual({ ann: [MINUTE, 90 * MINUTE], bo: 1 });
  });

  it.each([
    ['with a new password', () => db.mailbox.update({ where: { id: ann.id }, data: { passwordHash: 'new' } })],
    ['once it is inactive', () => db.mailbox.update({ where: { id: ann.id }, data: { active: false } })],
    ['once it is deleted', () => db.mailbox.delete({ where: { id: ann.id } })],
  ])('%s, and those of other mailboxes stay', async (_, change) => {
    await change();
    expect(await ended()).toEqual({ ann: [5, MINUTE, 90 * MINUTE], bo: 1 });
  });

  it('once its domain is inactive, and also if it is active again', async () => {
    for (const active of [false, true]) {
      await db.domain.update({ where: { id: domain.id }, data: { active } });
      expect(await ended()).toEqual({ ann: [5, MINUTE, 90 * MINUTE], bo: 3 });
    }
  });

  it('not if something else of it changes', async () => {
    await db.mailbox.update({
      where: { id: ann.id },
      data: { displayName: 'Ann', quotaBytes: 1, suspendedAt: new Date(), usedBytes: 7 },
    });
    expect(await ended()).toEqual({ ann: [90 * MINUTE], bo: 1 });
  });
});

it('agents are notified of each change', async () => {
  let notified = 0;
  const end = listen(SIGN_INS_CHANNEL, () => {
    notified += 1;
  });
  await expect.poll(() => notified).toBe(1);
  await db.mailbox.update({ where: { id: ann.id }, data: { passwordHash: 'new' } });
  await expect.poll(() => notified).toBe(2);
  await db.mailbox.delete({ where: { id: ann.id } });
  await expect.poll(() => notified).toBe(3);
  await db.domain.update({ where: { id: domain.id }, data: { active: false } });
  await expect.poll(() => notified).toBe(4);
  await end();
});
