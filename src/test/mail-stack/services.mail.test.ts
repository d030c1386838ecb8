import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { askAgent } from '@/modules/mail-server/service';
import { makeDomain, makeMailbox } from './directory';
import { db, mailServer } from './mail-server';
import { without } from './services';
import { openInbound } from './smtp-session';

const RESTARTS_WITHIN = { withinMs: 55_000 };
const masterOf = (pidFile: string) => readFileSync(`${mailServer.data}/${pidFile}`, 'utf8').trim();
const isUp = async () =>
  Object.fromEntries(
    (await askAgent(db, 'services.list', {})).services.map(({ service, isUp: isRunning }) => [service, isRunning]),
  );

describe('the services of the mail server, asked through the agent', () => {
  it('are told of, those that are down too', async () => {
    expect(await isUp()).toEqual({ redis: true, rspamd: true, dovecot: true, postfix: true });
    await without('dovecot', async () => {
      expect(await isUp()).toEqual({ redis: true, rspamd: true, dovecot: false, postfix: true });
    });
  });

  it('reload as the same process, but Redis, which reads its configuration when it starts', async () => {
    const before = ['queue/pid/master.pid', 'run/dovecot/master.pid', 'run/rspamd/rspamd.pid'].map(masterOf);
    for (const service of ['postfix', 'dovecot', 'rspamd'] as const) {
      expect(await askAgent(db, 'services.reload', { service })).toEqual({ isDone: true });
    }
    expect(await askAgent(db, 'services.reload', { service: 'redis' })).toEqual({ isDone: false });
    expect(['queue/pid/master.pid', 'run/dovecot/master.pid', 'run/rspamd/rspamd.pid'].map(masterOf)).toEqual(before);
  });

  it('restart as another process, and go on', async () => {
    const before = masterOf('queue/pid/master.pid');
    await askAgent(db, 'services.restart', { service: 'postfix' }, RESTARTS_WITHIN);
    expect(masterOf('queue/pid/master.pid')).not.toBe(before);
    const domain = await makeDomain();
    await makeMailbox(domain.id, 'ann');
    const session = await openInbound();
    expect(await session.recipient(`ann@${domain.name}`)).toMatch(/^250 /);
  });

  it('are these four and no others', async () => {
    for (const service of ['sshd', '../stack', 'postfix; true', '']) {
      await expect(askAgent(db, 'services.restart', { service: service as 'postfix' })).rejects.toMatchObject({
        apiCode: 'MAIL_STACK_UNAVAILABLE',
      });
    }
    expect(await isUp()).toEqual({ redis: true, rspamd: true, dovecot: true, postfix: true });
  });
});
