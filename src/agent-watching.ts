import { join } from 'node:path';
import { canDovecotAsk, dovecotInstance, reconnectDovecot } from '@/mail/agent/dovecot';
import type { Installation } from '@/mail/agent/installation';
import { retryDeferred } from '@/mail/agent/queue/postfix-queue';
import { createRecovery } from '@/mail/agent/recovery';
import type { ServiceControl } from '@/mail/agent/services/control';
import { repeat } from '@/server/background/repeat';
import type { Database } from '@/server/db';

const WATCH_INTERVAL_MS = 1_000;

type Parts = { db: Database; installation: Installation; control: ServiceControl };

/** Watches Dovecot and Postgres. */
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
  const recoveryTask = repeat('watching Dovecot and Postgres', WATCH_INTERVAL_MS, recover);
  return {
    retryMail,
    end: recoveryTask.end,
  };
}

async function postgresInstance(db: Database): Promise<string | null> {
  return db.$queryRaw<{ startedAt: string }[]>`SELECT pg_postmaster_start_time()::text AS "startedAt"`.then(
    ([row]) => row?.startedAt ?? null,
    () => null,
  );
}
