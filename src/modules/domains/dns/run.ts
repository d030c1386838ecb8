import type { Database } from '@/server/database/db';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';
import { checkDomain } from './checking/check';
import type { CheckedRecord } from './checking/check-record';
import { dnsServers, factsOf } from './checking/facts';
import { probes } from './checking/probes';
import { reportProgress } from './results/progress';

type Finished = { checked: CheckedRecord[]; cancel: () => Promise<void> };
type Running = Map<string, Promise<Finished | null>>;

const checks = processWide<Running>('dns checks');

/**
 * Checks a domain and stores the result. A check of the domain that is running in this process is joined, so that many
 * calls ask no more than one.
 * @returns null if the domain no longer exists
 */
export async function runCheck<Stored>(
  db: Database,
  id: string,
  store: (checked: CheckedRecord[]) => Promise<Stored>,
): Promise<Stored | null> {
  const finished = await joinOrStart(db, id);
  if (!finished) return null;
  try {
    return await store(finished.checked);
  } catch (error) {
    await finished.cancel();
    throw error;
  }
}

function joinOrStart(db: Database, id: string): Promise<Finished | null> {
  checks.current ??= new Map();
  const running = checks.current;
  const check = running.get(id) ?? checkNow(db, id).finally(() => running.delete(id));
  running.set(id, check);
  return check;
}

async function checkNow(db: Database, id: string): Promise<Finished | null> {
  const facts = await factsOf(db, id);
  if (!facts) return null;
  const progress = await reportProgress(db, id);
  try {
    const { webhookAllowPrivateNetworks: allowPrivateNetworks } = env();
    const options = { servers: dnsServers(), probes: probes(), allowPrivateNetworks };
    const checked = await checkDomain(facts, options, progress.onChecked);
    await progress.end();
    return { checked, cancel: progress.cancel };
  } catch (error) {
    await progress.cancel();
    throw error;
  }
}
