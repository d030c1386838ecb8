import { kickAgents } from '@/modules/mail-server/service';
import { cleanUp, type Task } from '@/server/background/task';
import type { Database, Tx } from '@/server/database/db';
import { type DkimKeyPair, dkimKeyRow, makeDkimKeyPair } from './dkim/keys';
import { checkDueDomains } from './dns/schedule';

export const domainTasks: Task[] = [
  {
    name: 'checking DNS',
    on: 'every instance',
    everySeconds: 60,
    run: ({ db, clock }) => checkDueDomains(db, clock),
  },
  cleanUp('creating missing DKIM keys', ({ db, clock }) => createMissingDkimKeys(db, clock.now())),
];

/** Creates an active key for each domain without one. Instances that run this concurrently share the work. */
export async function createMissingDkimKeys(db: Database, now: Date): Promise<void> {
  while (await db.domain.findFirst({ where: { dkimSelector: null }, select: { id: true } })) {
    const pair = await makeDkimKeyPair('rsa-2048');
    if (!(await db.$transaction((tx) => createForNextDomain(tx, pair, now)))) return;
  }
}

async function createForNextDomain(tx: Tx, pair: DkimKeyPair, now: Date): Promise<boolean> {
  const [domain] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM domain WHERE dkim_selector IS NULL ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`;
  if (!domain) return false;
  const row = dkimKeyRow(pair, { status: 'active', at: now });
  await tx.dkimKey.create({ data: { ...row, domainId: domain.id }, select: { id: true } });
  await tx.domain.update({ where: { id: domain.id }, data: { dkimSelector: row.selector }, select: { id: true } });
  await kickAgents(tx);
  return true;
}
