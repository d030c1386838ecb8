import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@/lib/health/finding';
import {
  ageOfSession,
  canDovecotAsk,
  dovecotInstance,
  endSession,
  listSessions,
  reconnectDovecot,
} from '@/mail/agent/dovecot';
import type { Installation } from '@/mail/agent/installation';
import { retryDeferred } from '@/mail/agent/queue/postfix-queue';
import { createRecovery } from '@/mail/agent/recovery';
import type { ServiceControl } from '@/mail/agent/services/control';
import { findSessionsToEnd, SIGN_INS_CHANNEL } from '@/modules/mailboxes/open-sessions';
import type { Task } from '@/server/background/task';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { checkDisk } from '@/server/machine';

type Parts = { db: Database; installation: Installation; control: ServiceControl };

/** Returns the tasks that watch Dovecot and Postgres, and end the sessions of mailboxes whose sign-in is no longer valid. */
export function watchingTasks({ db, installation, control }: Parts) {
  const retryMail = async () => {
    const domains = await db.domain.findMany({ select: { name: true } });
    await retryDeferred(join(installation.config, 'postfix'), new Set(domains.map(({ name }) => name)));
  };
  const recover = createRecovery({
    instanceOf: { dovecot: () => dovecotInstance(installation), postgres: () => postgresInstance(db) },
    reloadPostfix: () => control.reload('postfix'),
    canDovecotAsk: () => canDovecotAsk(installation),
    reconnectDovecot: () => reconnectDovecot(installation),
    retry: retryMail,
  });
  const tasks: Task[] = [
    {
      name: 'ending sessions',
      on: 'every instance',
      everySeconds: 5,
      wokenBy: SIGN_INS_CHANNEL,
      run: () => endSessions(db, installation),
    },
    { name: 'watching Dovecot and Postgres', on: 'every instance', everySeconds: 1, run: recover },
  ];
  return { retryMail, tasks };
}

async function postgresInstance(db: Database): Promise<string | null> {
  return db.$queryRaw<{ startedAt: string }[]>`SELECT pg_postmaster_start_time()::text AS "startedAt"`.then(
    ([row]) => row?.startedAt ?? null,
    () => null,
  );
}

async function endSessions(db: Database, installation: Installation): Promise<void> {
  // Without Dovecot there are none, and doveadm would fail.
  if (!(await dovecotInstance(installation))) return;
  const sessions = await Promise.all(
    (await listSessions(installation)).map(async (session) => ({
      ...session,
      secondsOpen: await ageOfSession(session),
    })),
  );
  const open = sessions.flatMap(({ secondsOpen, ...session }) =>
    secondsOpen === null ? [] : { ...session, secondsOpen },
  );
  const ended = await findSessionsToEnd(db, open);
  for (const session of ended) endSession(session);
  if (ended.length > 0) log.info({ count: ended.length }, 'ended sessions of mailboxes');
}

/** Postfix refuses all mail while less than this many times the maximum message size is free. */
const POSTFIX_NEEDS = 1.5;
/** Times as much as Postfix needs. */
const SCARCE = 2;
const MB = 1_048_576;

/** The disk of the queue and that of the mailboxes, which may be the same. The worse one counts. */
export async function checkMailDisk({ config, data }: Pick<Installation, 'config' | 'data'>): Promise<Finding[]> {
  const needed = POSTFIX_NEEDS * (await maxMessageBytes(config));
  const [queue, mailboxes] = await Promise.all(
    ['queue', 'mail'].map((folder) => checkDisk(['mail_disk', 'mail_inodes'], join(data, folder))),
  );
  const found = [...(queue?.findings ?? []), ...(mailboxes?.findings ?? [])];
  const worst = (name: string) =>
    found.filter((finding) => finding.name === name).sort((one, other) => (one.value ?? -1) - (other.value ?? -1))[0];
  const [disk, inodes] = [worst('mail_disk'), worst('mail_inodes')];
  const free = queue?.freeBytes ?? null;
  if (disk && free !== null && free < SCARCE * needed) {
    if (free < needed) disk.status = 'down';
    else if (disk.status === 'ok') disk.status = 'degraded';
    disk.message = `The disk of the queue has ${inMb(free)} free. Below ${inMb(needed)}, Postfix refuses all mail.`;
  }
  return [disk, inodes].filter((finding) => finding !== undefined);
}

async function maxMessageBytes(config: string): Promise<number> {
  const text = await readFile(join(config, 'postfix/main.cf'), 'utf8');
  const bytes = /^message_size_limit = (\d+)$/m.exec(text)?.[1];
  if (!bytes) throw new Error('main.cf has no message_size_limit. Run deploy/mail/install again.');
  return Number(bytes);
}

function inMb(bytes: number): string {
  return `${Math.floor(bytes / MB)} MB`;
}
