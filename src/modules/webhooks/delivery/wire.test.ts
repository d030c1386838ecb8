import { createHmac, randomBytes } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emitBody, emitEvent } from '@/modules/events/service';
import { requestOnce } from '@/server/outbound/request';
import { db } from '@/test/database';
import { makeWebhook } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { type HttpsReceiver, type ReceiverHandler, startHttpsReceiver } from '@/test/servers/https-receiver';
import { emission } from '@/test/webhook-deliveries';
import { createDeliverer } from './deliverer';

const SECRET = `whsec_${Buffer.from('a secret that both sides know 1').toString('base64')}`;
const now = () => new Date();

let receiver: HttpsReceiver;
let reply: ReceiverHandler = () => undefined;

beforeAll(async () => {
  receiver = await startHttpsReceiver({ handler: (request, count) => reply(request, count) });
});

afterAll(() => receiver.close());

beforeEach(() => {
  reply = () => undefined;
  receiver.requests.length = 0;
});

afterEach(() => db.webhook.deleteMany());

describe('a delivery on the wire', () => {
  it('is a POST of the stored body, byte for byte, with the documented headers', async () => {
    const webhook = await makeWebhook({ url: `${receiver.url}/hook?x=1`, secret: SECRET });
    const subject = 'Grüße – 漢字 🎉 \u2028 "quoted" \\ \u0000 \ud800';
    await emit(subject);
    await deliver();

    const [request] = receiver.requests;
    const delivery = await db.webhookDelivery.findFirstOrThrow({
      where: { webhookId: webhook.id },
      include: { event: true },
    });
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/hook?x=1');
    expect(request?.body.toString('utf8')).toBe(delivery.event.body);
    expect(JSON.parse(request?.body.toString('utf8') ?? '')).toEqual({
      id: '<wire@example.com>',
      event: 'mail.sent',
      timestamp: '2026-11-21T09:41:07.123Z',
      data: emission({ marker: 'wire', subject }).data,
    });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'mail.sent',
      'x-service-delivery': delivery.id,
      'x-service-attempt': '1',
      'x-service-signature': createHmac('sha256', SECRET)
        .update(request?.body ?? '')
        .digest('hex'),
      'webhook-id': delivery.id,
    });
    expect(request?.headers['x-service-timestamp']).toBe(request?.headers['webhook-timestamp']);
    expect(request?.headers['x-service-signature-previous']).toBeUndefined();
  });

  it('passes verification by the Standard Webhooks library, and fails it when altered', async () => {
    await makeWebhook({ url: receiver.url, secret: SECRET });
    await emit('Grüße');
    await deliver();
    const [request] = receiver.requests;
    const headers = request?.headers as Record<string, string>;
    const verifier = new StandardWebhook(SECRET);
    expect(verifier.verify(request?.body ?? '', headers)).toMatchObject({ event: 'mail.sent' });
    expect(() => verifier.verify(`${request?.body} `, headers)).toThrow();
    expect(() => verifier.verify(request?.body ?? '', { ...headers, 'webhook-id': 'other' })).toThrow();
  });

  it('is also signed with the old secret during the grace period, and not after', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook({ url: receiver.url, secret: SECRET });
    const { data } = await admin.post(`/webhooks/${webhook.id}/rotate-secret`, { grace_hours: 1 });
    await emit('during');
    await deliver();
    await db.webhook.update({ where: { id: webhook.id }, data: { previousSecretUntil: new Date(Date.now() - 1000) } });
    await emit('after');
    await deliver();

    const [during, after] = receiver.requests;
    for (const secret of [SECRET, data.secret]) {
      expect(
        new StandardWebhook(secret).verify(during?.body ?? '', during?.headers as Record<string, string>),
      ).toBeTruthy();
    }
    const hex = (secret: string, body: Uint8Array = new Uint8Array()) =>
      createHmac('sha256', secret).update(body).digest('hex');
    expect(during?.headers['x-service-signature']).toBe(hex(data.secret, during?.body));
    expect(during?.headers['x-service-signature-previous']).toBe(hex(SECRET, during?.body));
    expect(after?.headers['x-service-signature']).toBe(hex(data.secret, after?.body));
    expect(after?.headers['x-service-signature-previous']).toBeUndefined();
    const old = new StandardWebhook(SECRET);
    expect(() => old.verify(after?.body ?? '', after?.headers as Record<string, string>)).toThrow();
  });

  it('sends a long body complete and signs all of it', async () => {
    await makeWebhook({ url: receiver.url, secret: SECRET });
    const body = new TextEncoder().encode(JSON.stringify({ text: 'ä漢🎉x'.repeat(400_000) }));
    const subject = {
      type: 'mail.received.full' as const,
      messageRowId: null,
      domainId: null,
      recipient: '',
      at: now(),
    };
    await db.$transaction((tx) => emitBody(tx, subject, body));
    expect(await db.eventPart.count()).toBeGreaterThan(5);
    await deliver();
    const [request] = receiver.requests;
    expect(request?.body.equals(body)).toBe(true);
    expect(request?.headers['x-service-signature']).toBe(createHmac('sha256', SECRET).update(body).digest('hex'));
    expect(
      new StandardWebhook(SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>),
    ).toBeTruthy();
  });

  it('stores the first part of a long response and follows no redirect', async () => {
    const webhook = await makeWebhook({ url: `${receiver.url}/moved` });
    reply = () => ({
      status: 302,
      headers: { location: `${receiver.url}/there` },
      body: `gone\u0000${'x'.repeat(200_000)}`,
    });
    await emit('redirected');
    await deliver();
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/moved']);
    const { attempts } = await db.webhookDelivery.findFirstOrThrow({
      where: { webhookId: webhook.id },
      include: { attempts: true },
    });
    expect(attempts).toMatchObject([{ statusCode: 302, failure: 'redirect', remoteAddress: '127.0.0.1' }]);
    expect(attempts[0]?.answer).toMatch(/^HTTP\/1\.1 302 Found\n/);
    expect(attempts[0]?.answer).toContain('gone');
    expect(attempts[0]?.answer.length).toBeLessThan(6000);
  });

  it('is not sent unsigned if its secret cannot be decrypted, and is sent after the secret is rotated', async () => {
    const admin = await keyClient({ role: 'admin' });
    const webhook = await makeWebhook({ url: receiver.url });
    const foreign = new Uint8Array(randomBytes(60));
    await db.webhook.update({ where: { id: webhook.id }, data: { secret: foreign } });
    await emit('unsigned');
    await deliver();
    expect(receiver.requests).toEqual([]);
    const { id, attempts } = await db.webhookDelivery.findFirstOrThrow({
      where: { webhookId: webhook.id },
      include: { attempts: true },
    });
    expect(attempts).toMatchObject([{ failure: 'bad_secret', answer: expect.stringContaining('SECRET_KEY') }]);
    const { data } = await admin.post(`/webhooks/${webhook.id}/rotate-secret`);
    expect(data.previous_valid_until).toBeNull();
    await db.webhookDelivery.update({ where: { id }, data: { nextAttemptAt: new Date(0) } });
    await deliver();
    const [request] = receiver.requests;
    expect(request?.headers['x-service-signature']).toBe(
      createHmac('sha256', data.secret)
        .update(request?.body ?? '')
        .digest('hex'),
    );
  });

  it('fails with a timeout if the endpoint hangs, and is retried with the same id', async () => {
    const webhook = await makeWebhook({ url: receiver.url });
    reply = (_request, count) => (count === 1 ? { hang: true } : undefined);
    await emit('slow');
    await deliver({ timeoutMs: 300 });
    const { id, attempts, status } = await db.webhookDelivery.findFirstOrThrow({
      where: { webhookId: webhook.id },
      include: { attempts: true },
    });
    expect(status).toBe('retrying');
    expect(attempts).toMatchObject([{ statusCode: null, failure: 'timeout' }]);
    await db.webhookDelivery.update({ where: { id }, data: { nextAttemptAt: new Date(0) } });
    await deliver();
    expect(receiver.requests.map(({ headers }) => [headers['webhook-id'], headers['x-service-attempt']])).toEqual([
      [id, '1'],
      [id, '2'],
    ]);
  });
});

async function emit(subject: string): Promise<void> {
  await emitEvent(db, { ...emission({ marker: 'wire', subject }), at: new Date('2026-11-21T09:41:07.123Z') });
}

async function deliver({ timeoutMs = 10_000 } = {}): Promise<void> {
  const options = { allowPrivateNetworks: true, ca: receiver.ca, timeoutMs };
  const deliverer = createDeliverer({ db, post: (request) => requestOnce(request, options), now });
  await deliverer.sweep(30_000);
  await deliverer.stop();
}
