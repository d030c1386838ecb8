import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { claimTurn, registerTasks, turnOf } from '@/server/background/turns';
import { applySaved } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { runTask, sharedTask } from '@/test/tasks';
import { bundled } from '../../../../scripts/steps/programs.mjs';
import { checkAlertEmails, openAlerts, resolveAlert } from '../service';
import { alertTasks } from '../tasks';
import { markFailed, markSent, nextAlertEmail } from './outbox';
import { forgetAlertEmails } from './send';

const mta = await startScriptedMta();
const api = await keyClient();
const admin = await keyClient({ role: 'super_admin' });

beforeEach(async () => {
  mta.state.script = () => undefined;
  mta.server.messages.length = 0;
  mta.server.commands.length = 0;
  await db.alert.deleteMany();
  await db.event.deleteMany();
  await db.domain.deleteMany();
  await makeDomain({ name: 'first.example' });
  await db.scheduledTask.deleteMany();
  await db.$executeRaw`UPDATE alert_email_run SET next_attempt_at = now() - interval '1 second', failure_count = 0, problem = '', refused = '{}'`;
  applySaved({ ALERT_EMAILS: 'ops@far.example,oncall@far.example' });
});

afterAll(() => {
  applySaved({});
  return mta.server.close();
});

const about = (subject: string) => ({ kind: 'system_down' as const, subject });
const open = (subject: string) =>
  openAlerts(db, [{ ...about(subject), text: 'Restart it.', domainId: null, count: 0, expected: 0 }], new Date());
const close = (subject: string) => resolveAlert(db, about(subject), new Date());
/** As if a minute, or `minutes`, had passed. */
const later = (minutes = 1) => db.$executeRaw`
  WITH run AS (UPDATE alert_email_run SET next_attempt_at = next_attempt_at - make_interval(mins => ${minutes}::int)),
       task AS (UPDATE scheduled_task SET due_at = due_at - make_interval(mins => ${minutes}::int))
  UPDATE alert_email SET created_at = created_at - make_interval(mins => ${minutes}::int)`;
const task = sharedTask(alertTasks, 'emailing alerts');
const send = () => runTask(db, task);
const headerOf = (message: string | undefined, name: string) =>
  new RegExp(`^${name}: (.*)\r$`, 'mi').exec((message ?? '').replaceAll(/\r\n[ \t]+/g, ' '))?.[1];
const subjects = () => mta.server.messages.map((message) => headerOf(message, 'Subject'));
const check = async () => (await checkAlertEmails(db))[0];

describe('alerts', () => {
  it('are emailed to all addresses a minute after the first was opened, in one email and once', async () => {
    for (const subject of ['SMTP', 'IMAP', 'Rspamd']) await open(subject);
    await send();
    expect(mta.server.messages).toEqual([]);
    await later();
    await open('Postgres');
    await send();
    await send();
    expect(subjects()).toEqual(['[Postroom] 4 alerts opened: SMTP is down']);
    expect(mta.server.commands.filter((line) => line.startsWith('RCPT'))).toHaveLength(2);
    expect(headerOf(mta.server.messages[0], 'To')).toBe('ops@far.example, oncall@far.example');
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(1);
  });

  it('are not emailed below the severity of ALERT_EMAIL_SEVERITY, neither opened nor closed', async () => {
    applySaved({ ALERT_EMAILS: 'ops@far.example', ALERT_EMAIL_SEVERITY: 'critical' });
    const warning = { kind: 'system_degraded' as const, subject: 'Disk' };
    await openAlerts(db, [{ ...warning, text: 'Clean up.', domainId: null, count: 0, expected: 0 }], new Date());
    await open('SMTP');
    await later();
    await send();
    expect(subjects()).toEqual(['[Postroom] Critical: SMTP is down']);
    await resolveAlert(db, warning, new Date());
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(1);
    applySaved({ ALERT_EMAILS: 'ops@far.example' });
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(1);
  });

  it('are emailed only for the kinds of ALERT_EMAIL_KINDS and the domains of ALERT_EMAIL_DOMAINS', async () => {
    const domains = await Promise.all(['one.example', 'two.example'].map((name) => makeDomain({ name })));
    const broken = domains.map(({ id, name }) => ({ kind: 'dns_broken' as const, subject: name, domainId: id }));
    const openAll = async () => {
      await openAlerts(
        db,
        broken.map((alert) => ({ ...alert, count: 1, expected: 0 })),
        new Date(),
      );
      await open('SMTP');
      await later();
      await send();
      await db.alert.deleteMany();
    };
    const emailed = () => mta.server.messages.splice(0).join('\n');
    applySaved({ ALERT_EMAILS: 'ops@far.example', ALERT_EMAIL_DOMAINS: 'Two.example' });
    await openAll();
    const some = emailed();
    expect(some).toContain('two.example');
    expect(some).toContain('SMTP is down');
    expect(some).not.toContain('one.example');
    applySaved({ ALERT_EMAILS: 'ops@far.example', ALERT_EMAIL_KINDS: 'dns_broken,rate_limited' });
    await later();
    await openAll();
    const others = emailed();
    expect(others).toContain('one.example');
    expect(others).not.toContain('SMTP is down');
  });

  it('that are warnings wait for the end of ALERT_QUIET_HOURS without a problem, and critical ones don’t wait', async () => {
    const hours = (from: number, to: number) => {
      const time = (offset: number) => new Date(Date.now() + offset * 3_600_000).toISOString().slice(11, 16);
      return { ALERT_EMAILS: 'ops@far.example', ALERT_QUIET_HOURS: `${time(from)}-${time(to)}` };
    };
    applySaved(hours(-2, 2));
    const warning = { kind: 'system_degraded' as const, subject: 'Disk' };
    await openAlerts(db, [{ ...warning, text: 'Clean up.', domainId: null, count: 0, expected: 0 }], new Date());
    await open('SMTP');
    await later(60);
    await send();
    await later(60);
    await send();
    expect(subjects()).toEqual(['[Postroom] Critical: SMTP is down']);
    expect(await check()).toMatchObject({ status: 'ok', value: 0 });
    applySaved(hours(-2, 0));
    expect(await check()).toMatchObject({ status: 'ok' });
    await later();
    await send();
    expect(subjects()[1]).toBe('[Postroom] Warning: Disk needs attention');
  });

  it('are emailed once more when they close, whether their cause is gone or an admin closed them', async () => {
    await open('SMTP');
    await open('IMAP');
    await later();
    await send();
    const { data } = await api.get('/abuse/alerts?status=open');
    const id = data.find(({ subject }: { subject: string }) => subject === 'IMAP').id;
    await close('SMTP');
    await api.patch(`/abuse/alerts/${id}`, { status: 'closed' });
    await api.patch(`/abuse/alerts/${id}`, { status: 'open' });
    await api.patch(`/abuse/alerts/${id}`, { status: 'closed' });
    await later();
    await send();
    expect(subjects()[1]).toBe('[Postroom] 2 closed');
    expect(mta.server.messages[1]).toMatch(/^RESOLVED: SMTP is down/m);
    expect(mta.server.messages[1]).toMatch(/^CLOSED BY AN ADMIN: IMAP is down/m);
    await api.patch(`/abuse/alerts/${id}`, { status: 'open' });
    await api.patch(`/abuse/alerts/${id}`, { status: 'closed' });
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(2);
  });

  it('that closed before they were emailed are in one email, as closed', async () => {
    await open('SMTP');
    await close('SMTP');
    await later();
    await send();
    expect(subjects()).toEqual(['[Postroom] Resolved: SMTP is down']);
    expect(await db.alertEmail.count({ where: { sentAt: null } })).toBe(0);
  });

  it('are emailed by one of several instances', async () => {
    await open('SMTP');
    await later();
    await Promise.all(Array.from({ length: 5 }, send));
    expect(mta.server.messages).toHaveLength(1);
  });

  it('of a time without ALERT_EMAILS are not emailed later', async () => {
    applySaved({});
    await open('SMTP');
    await later();
    await send();
    applySaved({ ALERT_EMAILS: 'ops@far.example' });
    await later();
    await send();
    expect(mta.server.messages).toEqual([]);
    expect(await check()).toMatchObject({ value: 0, status: 'ok', message: '' });
  });
});

describe('a test', () => {
  const send = () => admin.post('/alert-emails/test', {});

  it('is emailed to all addresses at once, and says which the mail server refused', async () => {
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('oncall@') ? { say: '550 5.1.1 No such user\r\n' } : undefined;
    const { data } = await send();
    expect(data).toEqual({
      to: ['ops@far.example', 'oncall@far.example'],
      accepted: true,
      problem: 'The mail server refused oncall@far.example: 550 5.1.1 No such user',
    });
    expect(subjects()).toEqual(['[Postroom] Test of alert emails']);
    expect(mta.server.messages[0]).toContain(admin.admin.email);
  });

  it('that the mail server does not accept is no error, and its reply is in the audit log', async () => {
    mta.state.script = (point) => (point === 'MAIL' ? { say: '451 4.3.0 Try later\r\n' } : undefined);
    expect((await send()).data).toMatchObject({ accepted: false, problem: expect.stringContaining('451 4.3.0') });
    const entry = await db.auditEntry.findFirstOrThrow({
      where: { action: 'alert_email.test' },
      orderBy: { createdAt: 'desc' },
    });
    expect(entry.details).toMatchObject({ accepted: false, problem: expect.stringContaining('451 4.3.0') });
  });

  it('is refused without an address', async () => {
    applySaved({});
    expectError(await send(), 409, 'CONFLICT');
    expect(mta.server.messages).toEqual([]);
  });
});

describe('an email', () => {
  it('is nobody’s message: it makes no events and counts against no limit', async () => {
    await open('SMTP');
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(1);
    expect(await db.message.count()).toBe(0);
    expect(await db.countedSend.count()).toBe(0);
    expect((await db.event.findMany()).map(({ type }) => type)).toEqual(['system.alert']);
  });

  it('is from the domain that the mail server is in, or from ALERT_FROM, and asks for no automatic replies', async () => {
    await makeDomain({ name: 'mine.example' });
    process.env.MAIL_HOST = 'mail.mine.example';
    for (const from of [undefined, 'alerts@first.example']) {
      applySaved({ ALERT_EMAILS: 'ops@far.example', ...(from && { ALERT_FROM: from }) });
      await open(`SMTP ${from}`);
      await later();
      await send();
    }
    delete process.env.MAIL_HOST;
    expect(mta.server.messages.map((message) => headerOf(message, 'From'))).toEqual([
      'Postroom <postroom@mine.example>',
      'Postroom <alerts@first.example>',
    ]);
    expect(mta.server.commands.join('\n')).toContain('MAIL FROM:<postroom@mine.example>');
    expect(headerOf(mta.server.messages[0], 'Auto-Submitted')).toBe('auto-generated');
  });

  it('waits for a sender: a domain, a public host name or ALERT_FROM', async () => {
    await db.domain.deleteMany();
    await open('SMTP');
    await later();
    await send();
    expect(await check()).toMatchObject({ status: 'degraded', message: expect.stringContaining('set ALERT_FROM') });
    await makeDomain();
    await later(5);
    await send();
    expect(mta.server.messages).toHaveLength(1);
  });

  it('that the mail server does not accept is repeated, with growing pauses and what has happened since', async () => {
    mta.state.script = (point) => (point === 'MAIL' ? { say: '451 4.3.0 Try later\r\n' } : undefined);
    await open('SMTP');
    await later();
    await send();
    expect(await check()).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('451 4.3.0 Try later'),
    });
    const first = await nextAttemptSeconds();
    await later(1);
    await send();
    expect(await nextAttemptSeconds()).toBeGreaterThan(first + 10);
    await send();
    expect(mta.server.commands.filter((line) => line.startsWith('MAIL'))).toHaveLength(2);
    mta.state.script = () => undefined;
    await open('IMAP');
    await later(5);
    await send();
    expect(subjects()).toEqual(['[Postroom] 2 alerts opened: SMTP is down']);
    expect(await check()).toMatchObject({ value: 0, status: 'ok', message: '' });
  });

  it('is repeated with the same Message-ID if the reply to it was lost', async () => {
    mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
    await open('SMTP');
    await later();
    await send();
    mta.state.script = () => undefined;
    await later(5);
    await send();
    const ids = mta.server.messages.map((message) => headerOf(message, 'Message-ID'));
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  it('that an instance was sending when it was killed is sent by another once the lease has ended', async () => {
    await open('SMTP');
    await later();
    const lost = await claimed();
    await send();
    expect(mta.server.messages).toEqual([]);
    await later(2);
    await send();
    expect(mta.server.messages).toHaveLength(1);
    await open('IMAP');
    await later();
    await db.alertEmailRun.updateMany({ data: { failureCount: 3, problem: 'Of the next holder.' } });
    await markFailed(lost, 'Too late.');
    await markSent(lost, '');
    expect(await db.alertEmailRun.findFirst()).toMatchObject({ failureCount: 3, problem: 'Of the next holder.' });
  });

  it('that an instance was sending when it was killed with SIGKILL is sent again, with the same Message-ID', async () => {
    mta.state.script = (point) => (point === 'DOT' ? 'hang' : undefined);
    await open('SMTP');
    await later();
    const killed = await startInstance();
    await expect.poll(() => mta.server.messages.length).toBe(1);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    mta.state.script = () => undefined;
    await send();
    expect(mta.server.messages).toHaveLength(1);
    await later(2);
    await send();
    const ids = mta.server.messages.map((message) => headerOf(message, 'Message-ID'));
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(await check()).toMatchObject({ value: 0, status: 'ok' });
  });

  it('that one address refuses reaches the others, and the check names the address', async () => {
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('oncall@') ? { say: '550 5.1.1 No such user\r\n' } : undefined;
    await open('SMTP');
    await later();
    await send();
    await later(5);
    await send();
    expect(mta.server.messages).toHaveLength(1);
    expect(await check()).toMatchObject({
      value: 0,
      status: 'degraded',
      message: 'The mail server refused oncall@far.example: 550 5.1.1 No such user',
    });
    await send();
    expect(await check()).toMatchObject({ status: 'degraded' });
    applySaved({ ALERT_EMAILS: 'ops@far.example' });
    await send();
    expect(await check()).toMatchObject({ status: 'ok', message: '' });
  });

  it('that one address cannot get now is repeated for that address alone, and what is new still reaches all', async () => {
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('oncall@') ? { say: '450 4.2.0 Try later\r\n' } : undefined;
    await open('SMTP');
    await later();
    await send();
    expect(await check()).toMatchObject({ status: 'degraded', message: expect.stringContaining('450 4.2.0') });
    await open('IMAP');
    await later(5);
    await send();
    expect(mta.server.messages.map((message) => headerOf(message, 'To'))).toEqual([
      'ops@far.example, oncall@far.example',
      'ops@far.example, oncall@far.example',
    ]);
    mta.state.script = () => undefined;
    for (let run = 0; run < 3; run++) {
      await later(5);
      await send();
    }
    expect(subjects().slice(2)).toEqual(['[Postroom] 2 alerts opened: SMTP is down']);
    expect(headerOf(mta.server.messages[2], 'To')).toBe('oncall@far.example');
    expect(await check()).toMatchObject({ value: 0, status: 'ok', message: '' });
  });

  it('that only a removed address lacks is not repeated', async () => {
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('oncall@') ? { say: '450 4.2.0 Try later\r\n' } : undefined;
    await open('SMTP');
    await later();
    await send();
    await later(90);
    expect(await check()).toMatchObject({ status: 'degraded' });
    applySaved({ ALERT_EMAILS: 'ops@far.example' });
    await send();
    expect(mta.server.messages).toHaveLength(1);
    expect(await check()).toMatchObject({ value: 0, status: 'ok', message: '' });
  });

  it('that waits for more than five minutes degrades the check, and is given up after three days', async () => {
    await open('SMTP');
    await later(6);
    expect(await check()).toMatchObject({ name: 'alert_emails', status: 'degraded' });
    await forgetAlertEmails(db);
    expect(await db.alertEmail.count()).toBe(1);
    await later(3 * 24 * 60);
    await forgetAlertEmails(db);
    expect(await db.alertEmail.count()).toBe(0);
  });
});

/** Another process that emails what is due. */
async function startInstance(): Promise<ChildProcess> {
  const program = await bundled(process.cwd(), 'src/test/servers/alert-emails-process.ts');
  return spawn(process.execPath, [program], {
    env: { ...process.env, ALERT_EMAILS: 'ops@far.example,oncall@far.example' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** The email of an instance that has claimed the run, and is gone. */
async function claimed() {
  const email = await nextAlertEmail(db);
  await registerTasks(db, [task]);
  const claim = await claimTurn(db, [task]);
  if (!claim || !email) throw new Error('nothing was claimed');
  return { db, email, turn: turnOf(claim) };
}

async function nextAttemptSeconds(): Promise<number> {
  const [row] = await db.$queryRaw<[{ seconds: number }]>`
    SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM alert_email_run`;
  return row.seconds;
}
