import { expect } from 'vitest';
import { HEALTH_CHECKS } from '@/lib/health/catalog';
import { requestChecks } from '@/modules/system/health/check-now';
import { updateAlerts } from '@/modules/system/health/record';
import type { HealthCheck } from '@/modules/system/schema';
import { keyClient } from '../../rest';
import { db } from './mail-server';

/** A service that is down is given five seconds, and an alert closes only after two more results that are ok. */
const CHECKED = { timeout: 60_000, interval: 2_000 };

const api = await keyClient();

async function healthChecks(): Promise<HealthCheck[]> {
  return (await api.get('/system/health')).data.checks;
}

/** Asks for new results too, which come a moment later. */
export async function namesOfDown(): Promise<string[]> {
  await requestChecks(db);
  return (await healthChecks()).filter(({ status }) => status === 'down').map(({ name }) => name);
}

export async function findCheck(name: string): Promise<HealthCheck | undefined> {
  return (await healthChecks()).find((check) => check.name === name);
}

/** Waits for the status of a check, in GET /system/health. @returns the check */
export async function waitForCheck(
  name: string,
  status: HealthCheck['status'],
  options = CHECKED,
): Promise<HealthCheck> {
  const look = async () => {
    await requestChecks(db);
    return (await findCheck(name))?.status;
  };
  await expect.poll(look, options).toBe(status);
  const check = await findCheck(name);
  if (!check) throw new Error(`the check ${name} is gone`);
  return check;
}

export async function openAlertsAbout(name: keyof typeof HEALTH_CHECKS): Promise<{ kind: string; message: string }[]> {
  const { data } = await api.get('/abuse/alerts?status=open&limit=200');
  return data.filter(({ subject }: { subject: string }) => subject.split(' (')[0] === HEALTH_CHECKS[name].title);
}

/** Updates the alerts like an instance of the app, as if every status had lasted for a minute. */
export async function updateAlertsAMinuteLater(): Promise<void> {
  await db.$executeRaw`
    UPDATE health_check SET since = since - interval '1 minute', problem_since = problem_since - interval '1 minute'`;
  await updateAlerts(db, new Date());
}

/** Waits until the alert about a check that is ok again has closed by itself. */
export async function waitUntilClosed(name: keyof typeof HEALTH_CHECKS): Promise<void> {
  const isClosed = async () => {
    await requestChecks(db);
    await updateAlertsAMinuteLater();
    return (await openAlertsAbout(name)).length;
  };
  await expect.poll(isClosed, CHECKED).toBe(0);
}
