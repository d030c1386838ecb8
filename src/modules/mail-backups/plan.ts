import { z } from 'zod';
import type { MailBackupPlan } from '@/mail/agent/backup/plan';
import type { Database, Tx } from '@/server/database/db';
import { seal, tryToUnseal } from '@/server/secrets/sealing';

/** The plan is one row. */
const ID = '00000000-0000-7000-8000-000000000000';
const PLACE = `mail_backup_plan.sealed:${ID}`;

/**
 * Leaves the plan of the app to the mail agents, which have the same SECRET_KEY, so that it is set in one place. An unchanged
 * one is not written again.
 */
export async function publishPlan(db: Database, plan: MailBackupPlan): Promise<void> {
  const known = await readPlan(db);
  if (known && JSON.stringify(known) === JSON.stringify(Plan.parse(plan))) return;
  const sealed = seal(PLACE, JSON.stringify(plan));
  const data = { sealed, updatedAt: new Date() };
  await db.mailBackupPlan.upsert({ where: { id: ID }, create: { id: ID, ...data }, update: data });
}

/** Null if there is none, or it was sealed with a key that this process doesn't have. */
export async function readPlan(db: Tx): Promise<MailBackupPlan | null> {
  const row = await db.mailBackupPlan.findUnique({ where: { id: ID }, select: { sealed: true } });
  const text = row && tryToUnseal(PLACE, row.sealed);
  return text ? Plan.parse(JSON.parse(text)) : null;
}

const Target = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('file'), folder: z.string() }),
  z.object({
    kind: z.literal('s3'),
    bucket: z.string(),
    prefix: z.string(),
    endpoint: z.string().optional(),
    region: z.string(),
    style: z.literal('virtual').optional(),
  }),
]);

/** The plan of an app that may be newer or older than the agent. */
const Plan = z.object({
  password: z.string(),
  target: Target.nullable().transform((target) =>
    target?.kind === 's3' ? { ...target, endpoint: target.endpoint } : target,
  ),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  schedule: z.object({ time: z.string() }).nullable(),
  keep: z.object({ daily: z.number(), weekly: z.number(), monthly: z.number() }),
});
