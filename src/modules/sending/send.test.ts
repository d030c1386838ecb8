import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';
import { settleAbandonedMessages } from './service';

const mta = await startScriptedMta();

beforeEach(() => {
  mta.state.script = () => undefined;
});

afterAll(() => mta.server.close());

const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });

function message(over: object = {}) {
  return {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Hello',
    text_body: 'Hi',
    ...over,
  };
}

async function stored() {
  return db.message.findFirstOrThrow({
    orderBy: { id: 'desc' },
    include: { recipients: true, events: { orderBy: { at: 'asc' } } },
  });
}

describe('a message that the mail server accepts', () => {
  it('gets a Message-ID under the sender’s domain, the same in response and header', async () => {
    const answer = await api.post('/send', message());
    expect(answer.status).toBe(200);
    expect(answer.data.message_id).toMatch(new RegExp(`^<[^@<>]+@${domain.name}>$`));
    const unfolded = mta.server.messages.at(-1)?.replaceAll(/\r\n[ \t]+/g, ' ');
    expect(unfolded).toContain(`\r\nMessage-ID: ${answer.data.message_id}\r\n`);
  });

  it('is stored with recipients, trace, an audit entry and one mail.sent event', async () => {
    const answer = await api.post(
      '/send',
      message({
        cc: [{ email: 'bo@far.example' }, { email: 'Ann@far.example' }],
        bcc: [{ email: 'cy@far.example' }, { email: 'BO@far.example' }],
      }),
    );
    const row = await stored();
    expect(row).toMatchObject({
      messageId: answer.data.message_id,
      status: 'sent',
      queueId: '4Rk2Vd0xQzLm',
      direction: 'outbound',
    });
    expect(row.recipients.map(({ address, kind, status }) => [address, kind, status]).sort()).toEqual([
      ['ann@far.example', 'to', 'sent'],
      ['bo@far.example', 'cc', 'sent'],
      ['cy@far.example', 'bcc', 'sent'],
    ]);
    expect(row.events.map((event) => event.type)).toEqual(['accepted', 'queued']);

    const entry = await db.auditEntry.findFirstOrThrow({ where: { requestId: answer.meta.request_id } });
    expect(entry).toMatchObject({
      action: 'message.send',
      resource: `message:${row.id}`,
      domainId: domain.id,
      outcome: 'success',
    });

    const events = (await db.event.findMany()).map(({ type, domainId, body }) => ({
      type,
      domainId,
      body: JSON.parse(body ?? ''),
    }));
    expect(events.filter(({ body }) => body.id === answer.data.message_id)).toEqual([
      {
        type: 'mail.sent',
        domainId: domain.id,
        body: {
          id: answer.data.message_id,
          event: 'mail.sent',
          timestamp: expect.any(String),
          data: {
            message_id: answer.data.message_id,
            from: `shop@${domain.name}`,
            to: ['ann@far.example'],
            subject: 'Hello',
            domain: domain.name,
          },
        },
      },
    ]);

    const shown = await api.get(`/messages/${answer.data.id}`);
    expect(shown.data).toMatchObject({ message_id: answer.data.message_id, status: 'sent', to: ['ann@far.example'] });
    expect(shown.data.events.map((event: { type: string }) => event.type)).toEqual(['accepted', 'queued']);
  });

  it('records a recipient that was refused among others', async () => {
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('gone@') ? { say: '550 5.1.1 No such user\r\n' } : undefined;
    const answer = await api.post(
      '/send',
      message({ to: [{ email: 'ann@far.example' }, { email: 'gone@far.example' }] }),
    );
    expect(answer.status).toBe(200);
    const { recipients } = await stored();
    expect(recipients.find((recipient) => recipient.address === 'gone@far.example')).toMatchObject({
      status: 'failed',
      cause: 'rejected',
      smtpCode: 550,
      enhancedCode: '5.1.1',
    });
    expect(recipients.find((recipient) => recipient.address === 'ann@far.example')).toMatchObject({ status: 'sent' });
  });
});

describe('a message that the mail server does not accept', () => {
  it.each(['MAIL', 'RCPT', 'DATA', 'DOT'] as const)(
    'at %s responds SEND_FAILED and is stored as failed',
    async (point) => {
      mta.state.script = (at) => (at === point ? { say: '554 5.7.1 Not from you\r\n' } : undefined);
      const answer = expectError(await api.post('/send', message()), 500, 'SEND_FAILED');
      expect(answer.error.details).toMatchObject({
        outcome: 'refused',
        smtp_code: 554,
        response: expect.stringContaining('Not from you'),
      });
      const row = await stored();
      expect(row).toMatchObject({ id: answer.error.details.id, status: 'failed', queueId: null });
      expect(row.recipients).toMatchObject([{ cause: 'rejected' }]);
      expect(row.events).toMatchObject([
        { type: 'accepted', detail: { source: 'api_key' } },
        { type: 'refused', detail: { cause: 'rejected' } },
      ]);
      const entry = await db.auditEntry.findFirstOrThrow({ where: { requestId: answer.meta.request_id } });
      const details = { message: expect.stringContaining('Not from you') };
      expect(entry).toMatchObject({ action: 'message.send', outcome: 'error', details });
      const events = await db.event.findMany({ where: { messageRowId: row.id } });
      expect(events.map(({ type, recipient }) => [type, recipient])).toEqual([['mail.failed', 'ann@far.example']]);
    },
  );

  it('reveals no internals when the connection is closed', async () => {
    mta.state.script = (point) => (point === 'MAIL' ? 'drop' : undefined);
    const answer = expectError(await api.post('/send', message()), 500, 'SEND_FAILED');
    expect(JSON.stringify(answer.error)).not.toMatch(/ECONN|socket|127\.0\.0\.1/);
    const row = await stored();
    expect(row).toMatchObject({ status: 'failed', recipients: [{ cause: 'not_submitted' }] });
    expect(row.events.at(-1)).toMatchObject({ type: 'refused', detail: { cause: 'not_submitted' } });
  });
});

it('a message whose connection is lost after the data is reported as uncertain and never sent again', async () => {
  mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
  const before = mta.server.transfers();
  const answer = expectError(await api.post('/send', message()), 500, 'SEND_FAILED');
  expect(answer.error.details.outcome).toBe('uncertain');
  const row = await stored();
  expect(row.status).toBe('uncertain');
  expect(row.events.map((event) => event.type)).toEqual(['accepted', 'uncertain']);
  expect(mta.server.transfers()).toBe(before + 1);
});

it('a message whose process ended becomes uncertain after 15 minutes, not before', async () => {
  await api.post('/send', message());
  const { id } = await stored();
  await db.message.update({ where: { id }, data: { status: 'submitting' } });
  const status = async () => (await db.message.findUniqueOrThrow({ where: { id } })).status;
  await settleAbandonedMessages(db, new Date(Date.now() + 14 * 60_000));
  expect(await status()).toBe('submitting');
  await settleAbandonedMessages(db, new Date(Date.now() + 16 * 60_000));
  expect(await status()).toBe('uncertain');
  expect((await stored()).events.map((event) => event.type)).toEqual(['accepted', 'queued', 'uncertain']);
});

describe('sending', () => {
  it('is rejected from a domain that is not managed here', async () => {
    const response = await api.post('/send', message({ from: { email: 'a@elsewhere.example' } }));
    expectError(response, 403, 'DOMAIN_NOT_FOUND');
    const entry = await db.auditEntry.findFirstOrThrow({ where: { requestId: response.meta.request_id } });
    expect(entry).toMatchObject({ action: 'message.send', outcome: 'denied' });
  });

  it('is rejected from an inactive domain', async () => {
    const inactive = await makeDomain({ active: false });
    expectError(await api.post('/send', message({ from: { email: `a@${inactive.name}` } })), 403, 'DOMAIN_INACTIVE');
  });

  it('is allowed for a domain_admin from assigned domains only', async () => {
    const assigned = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expect((await assigned.post('/send', message())).status).toBe(200);
    expectError(await (await keyClient({ role: 'domain_admin' })).post('/send', message()), 403, 'FORBIDDEN');
  });

  it('is allowed for a scoped key from its domains only', async () => {
    const other = await makeDomain();
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [domain.id] });
    expect((await scoped.post('/send', message())).status).toBe(200);
    expectError(
      await scoped.post('/send', message({ from: { email: `a@${other.name}` } })),
      403,
      'API_KEY_DOMAIN_SCOPE',
    );
  });

  it('is rejected from a suspended mailbox, in any letter case', async () => {
    const data = {
      domainId: domain.id,
      localPart: 'spammer',
      passwordHash: 'x',
      suspendedAt: new Date(),
      suspensionReason: 'manual' as const,
    };
    await db.mailbox.create({ data });
    expectError(
      await api.post('/send', message({ from: { email: `Spammer@${domain.name}` } })),
      403,
      'MAILBOX_SUSPENDED',
    );
  });
});

describe('an invalid message', () => {
  it.each([
    [{}, 'MISSING_FIELDS', ['from', 'to', 'subject', 'text_body', 'html_body']],
    [message({ to: [] }), 'MISSING_FIELDS', ['to']],
    [message({ text_body: '' }), 'MISSING_FIELDS', ['text_body', 'html_body']],
    [message({ from: { email: 'not an address' } }), 'INVALID_SENDER', ['from.email']],
    [message({ from: { email: `a@${domain.name}\r\nBcc: x@y.example` } }), 'INVALID_SENDER', ['from.email']],
    [message({ headers: { Subject: 'x' } }), 'INVALID_HEADER', ['headers.Subject']],
    [message({ headers: { 'X-A': 'b\r\nBcc: c@d.example' } }), 'INVALID_HEADER', ['headers.X-A']],
    [message({ to: [{ email: 'a@x.example, b@y.example' }] }), 'VALIDATION_ERROR', ['to.0.email']],
    [message({ subject: 'a\r\nBcc: b@c.example' }), 'VALIDATION_ERROR', ['subject']],
    [message({ subject: { path: '/etc/passwd' } }), 'VALIDATION_ERROR', ['subject']],
    [message({ text_body: { href: 'http://127.0.0.1/' } }), 'VALIDATION_ERROR', ['text_body']],
    [
      message({ attachments: [{ filename: 'a', content_type: 'text/plain', path: '/etc/passwd' }] }),
      'MISSING_FIELDS',
      ['attachments.0.content'],
    ],
    [
      message({ attachments: [{ filename: 'a', content_type: 'text/plain', content: '%%%' }] }),
      'VALIDATION_ERROR',
      ['attachments.0.content'],
    ],
    [message({ priority: 'high' }), 'VALIDATION_ERROR', ['priority']],
  ])('%# names the invalid fields and is not submitted', async (body, code, paths) => {
    const [rows, transfers] = [await db.message.count(), mta.server.connections()];
    const answer = expectError(await api.post('/send', body), 400, code as 'MISSING_FIELDS');
    expect(answer.error.details.fields?.map((field) => field.path)).toEqual(paths);
    expect(await db.message.count()).toBe(rows);
    expect(mta.server.connections()).toBe(transfers);
  });

  it.each(['/send', '/send/batch'])('of too many values asks %s for base64 text', async (path) => {
    const content = Buffer.alloc(200_001);
    const body = message({ attachments: [{ filename: 'a', content_type: 'text/plain', content }] });
    const answer = await api.post(path, path === '/send' ? body : { messages: [body] });
    expect(expectError(answer, 400, 'VALIDATION_ERROR').error.message).toBe(
      'The body has more than 200000 values, or is nested too deeply. Is a file in it a list of bytes instead of base64 text?',
    );
  });

  it('over the size limit is rejected before submission', async () => {
    setSettings({ MAX_MESSAGE_SIZE_MB: '1' });
    const content = Buffer.alloc(800 * 1024, 7).toString('base64');
    const attachments = [{ filename: 'big.bin', content_type: 'application/octet-stream', content }];
    const transfers = mta.server.transfers();
    const answer = expectError(await api.post('/send', message({ attachments })), 413, 'MESSAGE_TOO_LARGE');
    expect(answer.error.details.limit_bytes).toBe(1024 * 1024);
    expect(mta.server.transfers()).toBe(transfers);
  });
});
