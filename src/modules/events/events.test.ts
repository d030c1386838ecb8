import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeWebhook } from '@/test/factories';
import { emitEvent, findSubscribed } from './service';

describe('findSubscribed', () => {
  it('requires an active webhook for the type or all types, and for the domain or all', async () => {
    await db.webhook.deleteMany();
    const [domain, other] = await Promise.all([makeDomain(), makeDomain()]);
    const subscribed = () => findSubscribed(db, 'mail.received.full', [domain.id, other.id]);
    await makeWebhook({ events: ['mail.received'] });
    await makeWebhook({ events: ['*'], domainId: other.id });
    await makeWebhook({ events: ['*'], active: false });
    expect(await subscribed()).toEqual(new Set([other.id]));
    await makeWebhook({ events: ['*'], domainId: domain.id });
    expect(await subscribed()).toEqual(new Set([domain.id, other.id]));
  });
});

describe('the body of an event', () => {
  async function stored(length: number) {
    const domain = await makeDomain();
    const messageId = `<${domain.id}@a.example>`;
    const about = { message_id: messageId, from: 'a@a.example', domain: 'a.example' };
    const data = { ...about, to: ['ann@far.example'], subject: 'é'.repeat(length) };
    const subject = { messageId, messageRowId: null, domainId: domain.id, at: new Date() };
    await emitEvent(db, { type: 'mail.sent', ...subject, data });
    const { body, bodyBytes, recipient, parts } = await db.event.findFirstOrThrow({
      where: { domainId: domain.id },
      include: { parts: { orderBy: { position: 'asc' } } },
    });
    const bytes = body === null ? Buffer.concat(parts.map((part) => part.bytes)) : Buffer.from(body);
    expect(bytes.byteLength).toBe(bodyBytes);
    expect(JSON.parse(bytes.toString())).toMatchObject({ id: subject.messageId, event: 'mail.sent', data });
    expect(recipient).toBe('ann@far.example');
    return { isInline: body !== null, parts: parts.length };
  }

  it('is stored in its row up to 64 KB, and in parts of 512 KB beyond', async () => {
    expect(await stored(32_000)).toEqual({ isInline: true, parts: 0 });
    expect(await stored(33_000)).toEqual({ isInline: false, parts: 1 });
    expect(await stored(600_001)).toEqual({ isInline: false, parts: 3 });
  });
});
