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
import { listen } from '@/server/background/notifications';
import { repeat } from '@/server/background/repeat';
import type { Database } from '@/server/db';
import { log } from '@/server/log';

const WATCH_INTERVAL_MS = 1_000;
// A notification triggers this too.
const SESSIONS_INTERVAL_MS = 5_000;

type Parts = { db: Database; installation: Installation; control: ServiceControl };

/** Watches Dovecot and Postgres, and ends the sessions of mailboxes whose sign-in is no longer valid. */
export function startWatching({ db, installation, control }: Parts) {
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
  const sessionsTask = repeat('ending sessions', SESSIONS_INTERVAL_MS, () => endSessions(db, installation));
  const recoveryTask = repeat('watching Dovecot and Postgres', WATCH_INTERVAL_MS, recover);
  const endListening = listen(SIGN_INS_CHANNEL, sessionsTask.runNow);
  return {
    retryMail,
    end: async () => {
      await Promise.all([sessionsTask.end(), recoveryTask.end(), endListening()]);
    },
  };
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
