import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, describe, expect, it } from 'vitest';
import { admitSubmission } from '@/modules/abuse/submission';
import { submittedMessageId } from '@/modules/messages/mail-log/outbound/submitted';
import { toDatabase } from '@/server/database/db';
import { createContext } from '@/server/procedures/context';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { accepted, delivery } from '@/test/mail/logged-mail';
import { makeOneMessage } from '@/test/mail/one-message';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { createSignInRecorder, deleteOldSignIns } from './sign-ins';

const mta = await startScriptedMta();
afterAll(() => mta.server.close());

const api = await keyClient();
const context = createContext(new Request('http://localhost:3000'));

function send(from: string, to: string) {
  return api.post('/send', { from: { email: from }, to: [{ email: to }], subject: 'Hi', text_body: 'Hi' });
}

describe('what a mailbox sent lately', () => {
  it('names the domains of its recipients, mail programs by address, and API keys', async () => {
    const mail = await makeOneMessage('ann');
    const ann = `ann@${mail.domain.name}`;
    const { id } = await db.mailbox.findFirstOrThrow({ where: { domainId: mail.domain.id } });
    await admitSubmission(context, { id: submittedMessageId(mail.queueId), sender: ann, recipientCount: 3 });
    await mail.filtered({ user: ann, from: ann, recipients: ['bo@far.example', 'cy@Far.example', 'di@else.example'] });
    await mail.logged(...accepted(ann, { login: ann }), delivery('bo@far.example', { status: 'bounced' }));
    // Letter case is not part of the sender.
    expect((await send(`Ann@${mail.domain.name}`, 'ed@far.example')).status).toBe(200);

    const { status, data } = await api.get(`/mailboxes/${id}/sent`);
    expect(status).toBe(200);
    expect(data).toMatchObject({
      messages: 2,
      recipients: 4,
      undelivered: 1,
      is_complete: true,
      recipient_domains: [
        { domain: 'far.example', recipients: 3, undelivered: 1 },
        { domain: 'else.example', recipients: 1, undelivered: 0 },
      ],
    });
    expect(data.sources.toSorted((one: { source: string }) => (one.source === 'smtp' ? -1 : 1))).toMatchObject([
      { source: 'smtp', by: ann, client_address: '192.0.2.1', api_key_id: null, messages: 1 },
      { source: 'api_key', client_address: null, api_key_id: expect.any(String), messages: 1 },
    ]);
  });

  it('compares with the days before: how much it sent, from which addresses, and blocked sign-ins', async () => {
    const domain = await makeDomain();
    const ann = await makeMailbox(domain.id, 'ann');
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const sendFrom = async (client: string, hours: number) => {
      const { data } = await send(`ann@${domain.name}`, 'bo@far.example');
      const { id } = await db.message.findFirstOrThrow({ where: { messageId: data.message_id } });
      await db.countedSend.updateMany({ where: { id }, data: { at: hoursAgo(hours) } });
      await db.$executeRaw`UPDATE message_event SET detail = detail || jsonb_build_object('source', 'smtp', 'client', ${client}::text)
                            WHERE message_id = ${id}::uuid AND detail ? 'source'`;
    };
    const sent = async () => (await api.get(`/mailboxes/${ann.id}/sent`)).data;
    await sendFrom('192.0.2.1', 1);
    await sendFrom('203.0.113.66', 2);
    expect(await sent()).toMatchObject({ usual_per_day: 0, new_client_addresses: [], sign_ins_blocked_at: null });
    for (const hours of [30, 40, 50]) await sendFrom('192.0.2.1', hours);
    await sendFrom('203.0.113.66', 8 * 24 + 1);
    const alert = {
      kind: 'wrong_passwords',
      severity: 'warning',
      subject: `ann@${domain.name}`,
      mailboxId: ann.id,
    } as const;
    await db.alert.create({ data: { ...alert, count: 10, expected: 10, createdAt: hoursAgo(3) } });
    expect(await sent()).toMatchObject({
      messages: 2,
      usual_per_day: 0.4,
      usual_recipients_per_day: 0.4,
      new_client_addresses: ['203.0.113.66'],
      sign_ins_blocked_at: expect.any(String),
    });
  });

  it('leaves out what is older, and what others sent', async () => {
    const domain = await makeDomain();
    const { id } = await makeMailbox(domain.id, 'ann');
    await send(`ann@${domain.name}`, 'bo@far.example');
    await send(`bo@${domain.name}`, 'bo@far.example');
    await db.countedSend.updateMany({
      where: { address: `ann@${domain.name}` },
      data: { at: new Date(Date.now() - 3 * 3_600_000) },
    });
    expect((await api.get(`/mailboxes/${id}/sent?hours=2`)).data).toMatchObject({ messages: 0, recipient_domains: [] });
    expect((await api.get(`/mailboxes/${id}/sent?hours=4`)).data).toMatchObject({ messages: 1 });
    expectError(await api.get(`/mailboxes/${id}/sent?hours=169`), 400, 'VALIDATION_ERROR');
  });
});

describe('where a mailbox was signed in to from', () => {
  const clock = manualClock('2026-11-30T10:00:00Z');
  const day = 24 * 60 * 60;

  it('is listed by address and protocol, the latest first, for 30 days', async () => {
    const domain = await makeDomain();
    const { id } = await makeMailbox(domain.id, 'ann');
    const login = `ann@${domain.name}`;
    const other = await makeMailbox(domain.id, 'bo');
    const record = createSignInRecorder({ db, clock });
    const signIn = (address: string, protocol = 'imap', by = record) =>
      by({ login, address, protocol, passwordHash: '' });
    const listed = async () => (await api.get(`/mailboxes/${id}/sign-ins`)).data.sign_ins;
    const start = clock.now().toISOString();

    await signIn('192.0.2.1');
    await signIn('192.0.2.1', 'smtp');
    await signIn('');
    // Neither Postfix's keys nor the app have a mailbox.
    for (const account of ['apikey', 'postroom', `gone@${domain.name}`])
      await record({ login: account, address: '192.0.2.9', protocol: 'smtp', passwordHash: '' });
    clock.advance(60);
    await signIn('192.0.2.1');
    expect(await listed()).toEqual([
      { client_address: null, protocol: 'imap', first_at: start, last_at: start },
      { client_address: '192.0.2.1', protocol: 'imap', first_at: start, last_at: start },
      { client_address: '192.0.2.1', protocol: 'smtp', first_at: start, last_at: start },
    ]);

    clock.advance(29 * day);
    await Promise.all([record, createSignInRecorder({ db, clock })].map((by) => signIn('192.0.2.1', 'imap', by)));
    await signIn('2001:db8::7');
    await deleteOldSignIns(db, new Date(clock.now().getTime() + 2 * day * 1000));
    const now = clock.now().toISOString();
    expect(await listed()).toEqual([
      { client_address: '192.0.2.1', protocol: 'imap', first_at: start, last_at: now },
      { client_address: '2001:db8::7', protocol: 'imap', first_at: now, last_at: now },
    ]);
    expect((await api.get(`/mailboxes/${other.id}/sign-ins`)).data).toEqual({ sign_ins: [] });
  });

  it('is recorded again after the database was away', async () => {
    const domain = await makeDomain();
    const { id } = await makeMailbox(domain.id, 'ann');
    const away = toDatabase(new PrismaPg({ connectionString: 'postgresql://x@127.0.0.1:1/x' }));
    let isAway = true;
    const switched = new Proxy(db, { get: (_, name) => Reflect.get(isAway ? away : db, name) });
    const record = createSignInRecorder({ db: switched, clock });
    const signIn = { login: `ann@${domain.name}`, address: '192.0.2.1', protocol: 'imap', passwordHash: '' };
    await expect(record(signIn)).rejects.toThrow(/reach database/);
    isAway = false;
    await record(signIn);
    expect(await db.mailboxSignIn.count({ where: { mailboxId: id } })).toBe(1);
  });
});
