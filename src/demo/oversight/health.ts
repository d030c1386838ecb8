import { hostname } from 'node:os';
import type { CheckName } from '@/lib/health/catalog';
import type { DemoContext } from '../demo-context';
import { before, DAY_MS, HOUR_MS } from '../time';

/** The usual values of checks. Those of this machine are its own, and begin with the demo. */
const USUAL: { name: CheckName; subject?: string; from: number; to: number; digits?: number }[] = [
  { name: 'mail_agent', subject: 'mail.postroom.example', from: 0, to: 5 },
  { name: 'database', from: 1, to: 9 },
  { name: 'database_connections', from: 18, to: 34 },
  { name: 'database_transaction', from: 0, to: 2 },
  { name: 'webhooks', from: 0, to: 14 },
  { name: 'webhooks_age', from: 0, to: 3 },
  { name: 'audit_log', from: 0, to: 2 },
  { name: 'tasks', from: 0, to: 4 },
  { name: 'scheduled_messages', from: 0, to: 1 },
  { name: 'alert_emails', from: 0, to: 0 },
  { name: 'inodes', subject: hostname(), from: 93, to: 95, digits: 1 },
  { name: 'memory', subject: hostname(), from: 61, to: 84, digits: 1 },
  { name: 'instances', from: 0, to: 0 },
  { name: 'versions', from: 1, to: 1 },
];
const OK_FOR_MS = 12 * DAY_MS;
const HOURS = 24;

/** A day in which all checks were OK, as they have been since the last upgrade. */
export async function seedHealth({ tx, now, random }: DemoContext): Promise<void> {
  const checkedAt = before(now, HOUR_MS / 2);
  const ok = USUAL.map(({ name, subject = '', from, to, digits = 0 }) => {
    const value = () => Number((from + random.next() * (to - from)).toFixed(digits));
    return { name, subject, status: 'ok' as const, value };
  });
  await tx.healthCheck.createMany({
    data: ok.map(({ value, ...check }) => ({
      ...check,
      ...{ value: value(), message: '', since: before(now, OK_FOR_MS), checkedAt },
    })),
  });
  await tx.healthSample.createMany({
    data: ok.flatMap(({ value, ...check }) =>
      Array.from({ length: HOURS - 1 }, (_, index) => ({
        ...check,
        value: value(),
        at: before(checkedAt, index * HOUR_MS),
      })),
    ),
  });
}
