import { randomUUID } from 'node:crypto';
import { submitSystemMail } from '@/modules/sending/service';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import { env } from '@/server/settings/env';
import type { AlertEmailTest } from '../schema';
import { testMail } from './text';

const RESOURCE = 'alert_email';

/** Emails a test to the addresses of alerts, also in quiet hours. @throws CONFLICT if there are none */
export async function testAlertEmails(ctx: MutationContext): Promise<AlertEmailTest> {
  const { alertEmails: to, appUrl } = env();
  if (to.length === 0) {
    const refusal = new AppError('CONFLICT', 'No address gets alert emails. Set ALERT_EMAILS first.');
    const details = { code: refusal.apiCode, message: refusal.message };
    await ctx.auditAlone({ resource: RESOURCE, outcome: 'denied', details });
    throw refusal;
  }
  const mail = { to, ...testMail(ctx.actor.admin.email, appUrl), key: randomUUID(), at: ctx.clock.now() };
  const { isAccepted: accepted, problem } = await submitSystemMail(ctx.db, mail);
  const test = { to, accepted, problem };
  await ctx.auditAlone({ resource: RESOURCE, details: test });
  return test;
}
