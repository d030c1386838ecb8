import { afterAll, describe, expect, it } from 'vitest';
import { openAlerts } from '@/modules/alerts/service';
import { alertTasks } from '@/modules/alerts/tasks';
import { applySaved } from '@/server/settings/env';
import { runTask, sharedTask } from '@/test/tasks';
import { activateKey, signaturesOf } from '../support/dkim-keys';
import { db } from '../support/mail-server';
import { at, domain, remoteAddress, remoteServer, traceMail, webhookEvents } from '../support/traced-mail';

await traceMail();

afterAll(() => applySaved({}));

describe('an email about an alert', () => {
  it('is signed and delivered by the mail server, and makes no messages or events', async () => {
    await activateKey(domain.name, 'first');
    const to = remoteAddress();
    applySaved({ ALERT_EMAILS: to, ALERT_FROM: at('postroom') });
    await db.alertEmail.deleteMany();
    const alert = { kind: 'system_down', subject: 'IMAP', text: 'Restart it.', domainId: null } as const;
    await openAlerts(db, [{ ...alert, count: 0, expected: 0 }], new Date());
    await db.$executeRaw`UPDATE alert_email SET created_at = created_at - interval '1 minute'`;
    await runTask(db, sharedTask(alertTasks, 'emailing alerts'));
    const arrived = () => remoteServer.received.find(({ rcptTo }) => rcptTo.includes(to));
    await expect.poll(arrived).toBeDefined();
    expect(await signaturesOf(arrived()?.raw ?? Buffer.alloc(0))).toEqual([`pass rsa-sha256 by first.${domain.name}`]);
    expect(arrived()?.raw.toString()).toContain('CRITICAL: IMAP is down');
    expect(await db.alertEmail.count({ where: { sentAt: null } })).toBe(0);
    expect(await db.message.count({ where: { domainId: domain.id } })).toBe(0);
    expect(await webhookEvents()).toEqual([]);
    await db.alert.deleteMany({ where: { subject: 'IMAP' } });
  });
});
