import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { activateKey, redis } from '../support/dkim-keys';
import { db, mailServer } from '../support/mail-server';
import { runStack } from '../support/services';
import { at, domain, remoteAddress, submit, traceMail, waitForEvents } from '../support/traced-mail';

await traceMail();

const COUNT = 60;
const SUBMITTERS = 4;
const SLOWER_THAN_RSPAMDS_LIMIT_MS = 2_500;

describe('mail submitted by SMTP', () => {
  beforeEach(() => activateKey(domain.name, 'first'));

  it('has its subject although Redis is slower than the limit of Rspamd', async () => {
    await redis.client('PAUSE', SLOWER_THAN_RSPAMDS_LIMIT_MS, 'WRITE');
    expect(await submit([remoteAddress()], 'Slow')).toMatch(/^250 /);
    expect((await waitForEvents('mail.sent', 1)).map(({ data }) => data.subject)).toEqual(['Slow']);
  });

  it('is deferred if Redis stops between the lookup of its key and the record of its subject', async () => {
    await redis.acl('SETUSER', 'default', '-xadd');
    const answer = await submit([remoteAddress()], 'Lost').finally(() => redis.acl('SETUSER', 'default', '+xadd'));
    expect(answer).toMatch(/^4\d\d .*cannot be recorded/);
    expect(await submit([remoteAddress()], 'Found')).toMatch(/^250 /);
    expect((await waitForEvents('mail.sent', 1)).map(({ data }) => data.subject)).toEqual(['Found']);
  });

  it('has its recipients and subject in the message log and in every event while Redis restarts', async () => {
    await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: COUNT * 2 } });
    const waiting = Array.from({ length: COUNT }, (_, index) => ({ subject: `Number ${index}`, to: remoteAddress() }));
    const expected = waiting.map(({ subject, to }) => ({ subject, to: [to] })).toSorted(bySubject);
    const submitAll = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { to, subject } = next;
        if (waiting.length === COUNT / 2 || waiting.length === COUNT / 4) restartRedis();
        await expect.poll(() => submit([to], subject), { timeout: 30_000 }).toMatch(/^250 /);
      }
    };
    await Promise.all(Array.from({ length: SUBMITTERS }, submitAll));

    const delivered = await waitForEvents('mail.delivered', COUNT);
    for (const events of [delivered, await waitForEvents('mail.sent', COUNT)]) {
      expect(events.map(({ data: { subject, to } }) => ({ subject, to })).toSorted(bySubject)).toEqual(expected);
    }
    const rows = await db.message.findMany({ where: { domainId: domain.id, fromAddress: at('ann') } });
    const stored = rows.map(({ subject, toAddresses: to }) => ({ subject, to }));
    expect(stored.toSorted(bySubject)).toEqual(expected);
  });
});

describe('after a loss of power that damaged the files of Redis', () => {
  beforeEach(() => activateKey(domain.name, 'first'));

  it.each<[what: string, file: RegExp, damage: (file: string) => void, kept: boolean]>([
    ['the end of its log', /\.incr\.aof$/, (file) => appendFileSync(file, Buffer.alloc(4096)), true],
    ['the beginning of its log', /\.base\.rdb$/, (file) => writeFileSync(file, Buffer.alloc(4096)), false],
    ['the list of its logs', /\.manifest$/, (file) => writeFileSync(file, ''), false],
  ])('mail leaves again: %s', async (_, name, damage, kept) => {
    await redis.set('postroom:test', 'kept');
    runStack('stop', 'redis');
    const folder = join(mailServer.data, 'redis/appendonlydir');
    for (const file of readdirSync(folder)) if (name.test(file)) damage(join(folder, file));
    runStack('start', 'redis');
    await expect.poll(() => submit([remoteAddress()], 'Later'), { timeout: 30_000 }).toMatch(/^250 /);
    expect(await redis.get('postroom:test')).toBe(kept ? 'kept' : null);
    expect(readFileSync(join(mailServer.data, 'log/redis/redis.log'), 'utf8')).toMatch(
      kept ? /damaged, and has been removed/ : /Redis starts empty/,
    );
  });
});

function restartRedis(): void {
  runStack('stop', 'redis');
  runStack('start', 'redis');
}

type Sent = { subject: unknown };

function bySubject(one: Sent, other: Sent): number {
  return String(one.subject) < String(other.subject) ? -1 : 1;
}
