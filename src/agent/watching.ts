import { join } from 'node:path';
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
import type { Database } from '@/server/db';
import { log } from '@/server/log';

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
