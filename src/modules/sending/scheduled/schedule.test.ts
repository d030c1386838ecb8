import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import {
  eventBodies,
  HOUR_MS,
  inHours,
  isWaiting,
  laterMessage,
  makeDue,
  sendDue,
  setUpScheduling,
} from '@/test/mail/scheduled';
import { expectError, keyClient } from '@/test/rest';

await makeContentStore();

const { mta, made, schedule, show, traceOf } = await setUpScheduling();

describe('a scheduled message', () => {
  it('is stored sealed, listed and readable, and sends nothing before its time', async () => {
    const sendAt = inHours(30 * 24 - 1);
    const sent = await schedule({ send_at: sendAt, tags: { kind: 'later' }, text_body: 'A secret text' });
    expect(sent).toEqual({ id: sent.id, message_id: expect.any(String), status: 'scheduled', send_at: sendAt });
    await sendDue();
    const shown = await show(sent.id);
    expect(shown).toMatchObject({
      status: 'scheduled',
      send_at: sendAt,
      outcomes: [{ status: 'scheduled', recipients: 1 }],
    });
    expect(shown.events).toMatchObject([{ type: 'accepted', detail: { send_at: sendAt, source: 'api_key' } }]);
    const { data } = await made.api.get(`/messages?status=scheduled&domain_id=${made.domain.id}`);
    expect(data).toMatchObject([{ id: sent.id, status: 'scheduled', send_at: sendAt }]);
    expect((await made.api.get(`/messages/${sent.id}/content`)).data.text).toContain('A secret text');
    const parts = await db.scheduledPart.findMany({ where: { messageId: sent.id } });
    expect(Buffer.concat(parts.map(({ bytes }) => bytes)).includes('A secret text')).toBe(false);
    expect(mta.server.messages).toEqual([]);
    expect(await eventBodies(sent.id)).toEqual([]);
    const entry = await db.auditEntry.findFirst({ where: { resource: `message:${sent.id}` } });
    expect(entry).toMatchObject({ action: 'message.send', details: { send_at: sendAt, message_id: sent.message_id } });
    expect(await db.countedSend.count({ where: { domainId: made.domain.id } })).toBe(0);
  });

  it('leaves at its time, once, with its Message-ID and the date of then, and counts from then', async () => {
    const tags = { kind: 'later' };
    const sent = await schedule({ tags, cc: [{ email: 'bo@far.example' }], bcc: [{ email: 'cy@far.example' }] });
    const old = new Date(Date.now() - 5 * HOUR_MS);
    await db.message.update({ where: { id: sent.id }, data: { createdAt: old } });
    await makeDue(sent.id);
    await Promise.all([sendDue(), sendDue(), sendDue()]);
    expect(mta.server.messages).toHaveLength(1);
    const [raw = ''] = mta.server.messages;
    expect(raw).toContain(`Message-ID: ${sent.message_id}`);
    expect(raw).not.toContain('cy@far.example');
    const date = new Date(/^Date: (.*)$/m.exec(raw)?.[1] ?? 0);
    expect(Math.abs(date.getTime() - Date.now())).toBeLessThan(20_000);
    const shown = await show(sent.id);
    expect(shown).toMatchObject({ status: 'sent', tags, content: { state: 'kept' } });
    expect(Date.parse(shown.created_at)).toBeGreaterThan(Date.now() - 20_000);
    expect(shown.recipients).toHaveLength(3);
    expect(await traceOf(sent.id)).toEqual(['accepted', 'queued']);
    expect(await eventBodies(sent.id)).toMatchObject([
      { event: 'mail.sent', data: { message_id: sent.message_id, tags } },
    ]);
    expect(await db.countedSend.count({ where: { id: sent.id } })).toBe(1);
    expect(await isWaiting(sent.id)).toBe(false);
    expect((await made.api.get(`/messages?tag=kind:later&domain_id=${made.domain.id}`)).data).toHaveLength(1);
    const { data } = await made.api.get(`/analytics?domain_id=${made.domain.id}`);
    expect(data.totals).toMatchObject({ sent: 1, in_transit: 1, submitting: 0 });
    const busy = data.series.filter((point: { sent: number }) => point.sent > 0);
    expect(Date.parse(busy[0].at)).toBeGreaterThan(Date.now() - 2 * HOUR_MS);
    await sendDue();
    expect(mta.server.messages).toHaveLength(1);
  });

  it('is sent at once if its time is past or within seconds: 200', async () => {
    for (const at of [inHours(-10), new Date(Date.now() + 2_000).toISOString()]) {
      const { status, data } = await made.api.post('/send', laterMessage(made.domain, { send_at: at }));
      expect({ status, data }).toEqual({
        status: 200,
        data: { id: expect.any(String), message_id: expect.any(String) },
      });
    }
    expect(mta.server.messages).toHaveLength(2);
  });

  it('takes a time with any offset, and no other', async () => {
    const at = new Date(Date.now() + 2 * HOUR_MS);
    const local = `${new Date(at.getTime() + 2 * HOUR_MS).toISOString().slice(0, -1)}+02:00`;
    expect((await schedule({ send_at: local })).send_at).toBe(at.toISOString());
    for (const wrong of ['tomorrow', inHours(30 * 24 + 1), '2026-13-01T00:00:00Z', 5]) {
      const { error } = expectError(
        await made.api.post('/send', laterMessage(made.domain, { send_at: wrong })),
        400,
        'VALIDATION_ERROR',
      );
      expect(error.details.fields).toMatchObject([{ path: 'send_at' }]);
    }
    const { status } = await made.api.post('/send', laterMessage(made.domain, { send_at: null }));
    expect(status).toBe(200);
  });

  it('of a batch has its own result', async () => {
    const { data } = await made.api.post('/send/batch', {
      messages: [laterMessage(made.domain), laterMessage(made.domain, { send_at: undefined })],
    });
    expect(data.results).toEqual([
      {
        index: 0,
        message_id: expect.any(String),
        id: expect.any(String),
        status: 'scheduled',
        send_at: expect.any(String),
      },
      { index: 1, id: expect.any(String), message_id: expect.any(String) },
    ]);
  });

  it('is stored once per Idempotency-Key, and answered alike whatever happened since', async () => {
    const [key, body] = [{ 'idempotency-key': uuidv7() }, laterMessage(made.domain)];
    const first = await made.api.post('/send', body, key);
    expect(await made.api.post('/send', body, key)).toMatchObject({ status: 202, data: first.data });
    await made.api.patch(`/messages/${first.data.id}`, { send_at: inHours(5) });
    expect(await made.api.post('/send', body, key)).toMatchObject({ status: 202, data: first.data });
    // As a restored backup holds it.
    await db.message.update({ where: { id: first.data.id }, data: { sendAt: null } });
    expect(await made.api.post('/send', body, key)).toMatchObject({ status: 202, data: first.data });
    await made.api.post(`/messages/${first.data.id}/cancel`);
    expect(await made.api.post('/send', body, key)).toMatchObject({ status: 202, data: first.data });
    expectError(await made.api.post('/send', { ...body, subject: 'Other' }, key), 409, 'IDEMPOTENCY_CONFLICT');
    expect(await db.message.count({ where: { domainId: made.domain.id } })).toBe(1);
    const batch = { messages: [laterMessage(made.domain)] };
    const other = { 'idempotency-key': uuidv7() };
    const one = await made.api.post('/send/batch', batch, other);
    expect((await made.api.post('/send/batch', batch, other)).data).toEqual(one.data);
  });

  it('of an unknown or foreign domain, or a sender that the key can’t use, is refused at once', async () => {
    const foreign = await makeDomain();
    const from = (name: string) => ({ from: { email: `a@${name}` } });
    expectError(await made.api.post('/send', laterMessage(made.domain, from(foreign.name))), 403, 'FORBIDDEN');
    expectError(
      await made.api.post('/send', laterMessage(made.domain, from('nowhere.example'))),
      403,
      'DOMAIN_NOT_FOUND',
    );
    await db.domain.update({ where: { id: made.domain.id }, data: { active: false } });
    expectError(await made.api.post('/send', laterMessage(made.domain)), 403, 'DOMAIN_INACTIVE');
  });

  it('of several megabytes is stored in parts', async () => {
    const content = Buffer.from(Array.from({ length: 1_500_000 }, () => Math.floor(Math.random() * 256))).toString(
      'base64',
    );
    const attachments = [{ filename: 'a.bin', content_type: 'application/octet-stream', content }];
    const { id } = await schedule({ attachments });
    expect(await db.scheduledPart.count({ where: { messageId: id } })).toBeGreaterThan(2);
    await makeDue(id);
    await sendDue();
    expect(mta.server.messages[0]?.replaceAll('\r\n', '')).toContain(content.slice(0, 500_000));
  });

  it('that isn’t sent when it is due can be read, and sent again once the cause is gone', async () => {
    const { id } = await schedule({ text_body: 'Still wanted', tags: { kind: 'late' } });
    await db.domain.update({ where: { id: made.domain.id }, data: { active: false } });
    await makeDue(id);
    await sendDue();
    const shown = await show(id);
    expect(shown).toMatchObject({ status: 'failed', content: { state: 'kept' } });
    expect((await made.api.get(`/messages?tag=kind:late&since=${shown.created_at}`)).data).toMatchObject([{ id }]);
    await db.domain.update({ where: { id: made.domain.id }, data: { active: true } });
    expect((await made.api.post(`/messages/${id}/resend`, {})).status).toBe(200);
    expect(mta.server.messages[0]).toContain('Still wanted');
  });

  it('that may have been sent can be read', async () => {
    mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
    const { id } = await schedule();
    await makeDue(id);
    await sendDue();
    expect(await show(id)).toMatchObject({ status: 'uncertain', content: { state: 'kept' } });
  });

  it('waits, however late it is, while its key is missing in SECRET_KEY', async () => {
    const { id } = await schedule();
    await makeDue(id, 100);
    const where = { messageId_position: { messageId: id, position: 0 } };
    const { bytes } = await db.scheduledPart.findUniqueOrThrow({ where });
    // The id of the key is at the start.
    const foreign = bytes.map((byte, index) => (index < 4 ? byte ^ 0xff : byte));
    await db.scheduledPart.update({ where, data: { bytes: foreign } });
    await sendDue();
    expect((await show(id)).status).toBe('scheduled');
    expect(await traceOf(id)).toEqual(['accepted', 'postponed']);
    await db.scheduledPart.update({ where, data: { bytes } });
    await db.message.update({ where: { id }, data: { sendAt: new Date() } });
    await db.scheduledMessage.update({ where: { messageId: id }, data: { nextAttemptAt: new Date(0) } });
    await sendDue();
    expect((await show(id)).status).toBe('sent');
  });

  it('is refused while too much waits, of its domain or of all', async () => {
    await db.$executeRaw`
      INSERT INTO message (id, message_id, domain_id, direction, from_address, subject, size_bytes, status, updated_at)
      SELECT gen_random_uuid(), n::text, ${made.domain.id}::uuid, 'outbound', 'a@b.example', '', 1, 'scheduled', now()
        FROM generate_series(1, 10000) AS n`;
    const refused = expectError(await made.api.post('/send', laterMessage(made.domain)), 429, 'RATE_LIMIT_EXCEEDED');
    expect(refused.error.message).toContain('10,000 scheduled messages');
    expect(refused.headers.get('retry-after')).toBe('60');
    const other = await makeDomain();
    const api = await keyClient();
    const { data } = await api.post('/send', laterMessage(other));
    await db.scheduledMessage.update({ where: { messageId: data.id }, data: { rawBytes: 1024 ** 3 } });
    const full = expectError(await api.post('/send', laterMessage(other)), 429, 'RATE_LIMIT_EXCEEDED');
    expect(full.headers.get('retry-after')).toBe('60');
    await api.post(`/messages/${data.id}/cancel`);
    expect((await api.post('/send', laterMessage(other))).status).toBe(202);
  });
});
