import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { eventBodies, inHours, makeDue, sendDue, setUpScheduling } from '@/test/mail/scheduled';
import { expectError, keyClient } from '@/test/rest';
import { claimDue } from './claims';

const { mta, made, schedule, show } = await setUpScheduling();

describe('cancelling', () => {
  it('ends the message, deletes its content, and is recorded', async () => {
    const { id } = await schedule();
    const { status, data } = await made.api.post(`/messages/${id}/cancel`);
    expect(status).toBe(200);
    const shown = await show(id);
    expect(data).toEqual(shown);
    expect(shown).toMatchObject({ status: 'cancelled', outcomes: [{ status: 'cancelled', recipients: 1 }] });
    expect(shown.content).toMatchObject({ state: 'not_kept', reason: 'cancelled' });
    expect(shown.events).toMatchObject([
      { type: 'accepted' },
      { type: 'cancelled', detail: { by: made.api.admin.email } },
    ]);
    expect(await db.scheduledPart.count({ where: { messageId: id } })).toBe(0);
    await sendDue();
    expect(mta.server.messages).toEqual([]);
    expect(await eventBodies(id)).toEqual([]);
    const entry = await db.auditEntry.findFirst({ where: { action: 'message.cancel' }, orderBy: { id: 'desc' } });
    expect(entry).toMatchObject({ resource: `message:${id}`, domainId: made.domain.id });
  });

  it('wins over an instance that has claimed the message, until it is admitted', async () => {
    const { id } = await schedule();
    await makeDue(id);
    const claimed = await claimDue(db);
    expect(claimed?.id).toBe(id);
    expect((await made.api.post(`/messages/${id}/cancel`)).status).toBe(200);
    await db.scheduledMessage.deleteMany({ where: { messageId: id } });
    await sendDue();
    expect(mta.server.messages).toEqual([]);
  });

  it('is a conflict with the reason once the message has left or was cancelled', async () => {
    const { id } = await schedule();
    await makeDue(id);
    await sendDue();
    const { error } = expectError(await made.api.post(`/messages/${id}/cancel`), 409, 'CONFLICT');
    expect(error).toMatchObject({ message: expect.stringContaining('has left'), details: { status: 'sent' } });
    const other = await schedule();
    await made.api.post(`/messages/${other.id}/cancel`);
    expectError(await made.api.post(`/messages/${other.id}/cancel`), 409, 'CONFLICT');
    expectError(await made.api.patch(`/messages/${other.id}`, { send_at: inHours(1) }), 409, 'CONFLICT');
    await db.message.update({ where: { id }, data: { status: 'submitting' } });
    expectError(await made.api.post(`/messages/${id}/cancel`), 409, 'CONFLICT');
  });

  it('and rescheduling show a key that may not read nothing else of the message', async () => {
    const { id } = await schedule();
    const tag = (await made.api.get(`/messages/${id}`)).headers.get('etag') ?? '';
    await db.apiKey.updateMany({ where: { adminId: made.api.admin.id }, data: { permissions: ['send'] } });
    const change = (at: string) =>
      made.api.call('PATCH', `/messages/${id}`, { body: { send_at: at }, headers: { 'if-match': tag } });
    const later = inHours(3);
    const moved = await change(later);
    expect(moved.data).toEqual({ id, message_id: expect.any(String), status: 'scheduled', send_at: later });
    const stale = await change(inHours(4));
    expect(expectError(stale, 412, 'VERSION_CONFLICT').error.details).toEqual({ current: moved.data });
    expect((await made.api.post(`/messages/${id}/cancel`)).data).toEqual({ ...moved.data, status: 'cancelled' });
  });

  it('of twenty at once, one succeeds', async () => {
    const { id } = await schedule();
    const answers = await Promise.all(Array.from({ length: 20 }, () => made.api.post(`/messages/${id}/cancel`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  it('is for those who may send as the sender, in their domains', async () => {
    const { id } = await schedule();
    const stranger = await keyClient({ role: 'domain_admin', domainIds: [] });
    expectError(await stranger.post(`/messages/${id}/cancel`), 404, 'NOT_FOUND');
    await db.apiKey.updateMany({ where: { adminId: made.api.admin.id }, data: { senders: ['other@far.example'] } });
    expectError(await made.api.post(`/messages/${id}/cancel`), 403, 'FORBIDDEN');
    await db.apiKey.updateMany({
      where: { adminId: made.api.admin.id },
      data: { senders: [], permissions: ['read', 'manage'] },
    });
    expectError(await made.api.post(`/messages/${id}/cancel`), 403, 'FORBIDDEN');
  });
});

describe('rescheduling', () => {
  it('moves the message, also to now, and is recorded', async () => {
    const { id } = await schedule();
    const later = inHours(48);
    const { data } = await made.api.patch(`/messages/${id}`, { send_at: later });
    const shown = await show(id);
    expect(data).toEqual(shown);
    expect(shown.send_at).toBe(later);
    expect(shown.events).toMatchObject([{ type: 'accepted' }, { type: 'rescheduled', detail: { send_at: later } }]);
    await sendDue();
    expect(mta.server.messages).toEqual([]);
    await made.api.patch(`/messages/${id}`, { send_at: inHours(-48) });
    await sendDue();
    expect((await show(id)).status).toBe('sent');
    const entry = await db.auditEntry.findFirst({
      where: { resource: `message:${id}`, action: 'message.reschedule' },
      orderBy: { id: 'asc' },
    });
    expect(entry?.details).toMatchObject({ after: { send_at: later } });
    const { error } = expectError(await made.api.patch(`/messages/${id}`, { send_at: later }), 409, 'CONFLICT');
    expect(error.details.status).toBe('sent');
  });

  it('is at most 30 days ahead, and needs a time', async () => {
    const { id } = await schedule();
    const { error } = expectError(
      await made.api.patch(`/messages/${id}`, { send_at: inHours(721) }),
      400,
      'VALIDATION_ERROR',
    );
    expect(error.details.fields).toMatchObject([{ path: 'send_at' }]);
    expectError(await made.api.patch(`/messages/${id}`, {}), 400, 'MISSING_FIELDS');
  });
});
