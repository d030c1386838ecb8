import { createHash } from 'node:crypto';
import { type SystemMail, type SystemMailOutcome, submitSystemMail } from '@/modules/sending/service';
import type { SharedContext } from '@/server/background/task';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import {
  type AlertNews,
  deleteOldAlertEmails,
  discardAlertEmails,
  discardUnwanted,
  forgetRefused,
  holdMuted,
  markFailed,
  markSent,
  nextAlertEmail,
} from './outbox';
import { quietNow } from './quiet-hours';
import { alertMail } from './text';

/** Emails ALERT_EMAILS about the alerts that were opened and closed and are to be emailed, if that is due. */
export async function sendAlertEmails({ db, clock, turn }: SharedContext): Promise<void> {
  const { alertEmails, alertEmailSeverity, alertEmailKinds, alertEmailDomains, appUrl } = env();
  if (alertEmails.length === 0) return discardAlertEmails(db);
  await discardUnwanted(db, { severity: alertEmailSeverity, kinds: alertEmailKinds, domains: alertEmailDomains });
  await holdMuted(db);
  const email = await nextAlertEmail(db, quietNow(clock.now())?.isQuiet ? ['critical'] : undefined);
  if (!email) return forgetRefused(db, alertEmails);
  const { missing, news } = email;
  const attempt = { db, turn, email };
  const to = alertEmails.filter((address) => missing.length === 0 || missing.includes(address));
  // The addresses that lacked it were removed meanwhile.
  if (to.length === 0) return markSent(attempt);
  const mail = { to, ...alertMail(news, appUrl), key: keyOf(news), at: clock.now() };
  const outcome = await submit(db, mail);
  const { problem } = outcome;
  if (problem) log.warn({ problem, count: news.length }, 'emailing alerts failed');
  if (!outcome.isAccepted) await markFailed(attempt, problem);
  else if (outcome.missing.length > 0) await markFailed(attempt, problem, outcome.missing);
  else await markSent(attempt, problem, outcome.refused);
}

/** Gives up on emails that could not be sent for days. */
export async function forgetAlertEmails(db: Database): Promise<void> {
  const alerts = await deleteOldAlertEmails(db);
  if (alerts > 0)
    log.error({ count: alerts }, 'alerts were never emailed: the mail server accepted no email for three days');
}

async function submit(db: Database, mail: SystemMail): Promise<SystemMailOutcome> {
  try {
    return await submitSystemMail(db, mail);
  } catch (error) {
    log.error({ error }, 'emailing alerts failed unexpectedly');
    return { isAccepted: false, problem: 'The email could not be made. The log has the error.' };
  }
}

/** The same for a repeated email about the same alerts, so that mailboxes can recognize it. */
function keyOf(news: readonly AlertNews[]): string {
  const told = news.map(({ id, changes }) => `${id} ${changes.join()}`);
  return createHash('sha256').update(told.join('\n')).digest('hex').slice(0, 32);
}
