import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { env } from '@/server/settings/env';
import { RETENTION_TASK } from './run';
import type { KeptDays, MessageRetention } from './schema';

/** The current or last run that deletes old messages. */
export async function getRetention(ctx: ActorContext): Promise<MessageRetention> {
  const [run, task] = await Promise.all([
    ctx.db.messageRetention.findUniqueOrThrow({ where: { id: 1 } }),
    ctx.db.scheduledTask.findUnique({ where: { name: RETENTION_TASK } }),
  ]);
  return presentRetention(run, task?.failure || null);
}

export function getKeptDays(): KeptDays {
  return { kept_days: env().messageRetentionDays };
}

type RetentionRow = Prisma.MessageRetentionGetPayload<object>;

function presentRetention(run: RetentionRow, failure: string | null): MessageRetention {
  return {
    kept_days: env().messageRetentionDays,
    status: failure === null ? retentionStatus(run) : 'failing',
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
    delete_before: run.deleteBefore?.toISOString() ?? null,
    deleted_until: run.deletedUntil?.toISOString() ?? null,
    deleted: run.deletedCount,
    failure,
  };
}

function retentionStatus({ startedAt, finishedAt }: RetentionRow): MessageRetention['status'] {
  if (env().messageRetentionDays === 0) return 'off';
  return startedAt !== null && finishedAt === null ? 'running' : 'waiting';
}
