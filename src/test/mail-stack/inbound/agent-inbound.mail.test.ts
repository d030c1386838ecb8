import { describe, expect, it, vi } from 'vitest';
import { makeAlias, makeMailbox } from '../support/directory';
import { db } from '../support/mail-server';
import { whileStopped } from '../support/services';
import {
  api,
  at,
  domain,
  receive,
  traceMail,
  traceOf,
  typesOf,
  type WebhookEvent,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

describe('undeliverable inbound mail', () => {
  const message = () => traceOf({ direction: 'inbound' });
  const waitForStatus = (status: string, subject: string) =>
    vi.waitFor(async () => expect(await message()).toMatchObject({ status, subject }), {
      timeout: 40_000,
      interval: 200,
    });

  it('to a full mailbox behind an alias appears as bounced with the reply', async () => {
    await makeMailbox(domain.id, 'small', { quotaBytes: 20_000 });
    await makeAlias(domain.id, 'help', at('small'));
    const body = `${'x'.repeat(70)}\n`.repeat(400);
    expect(await receive([at('help')], { subject: 'Too much', body })).toMatch(/^250 /);
    await waitForStatus('bounced', 'Too much');
    expect(await message()).toMatchObject({
      from: 'someone@elsewhere.example',
      to: [at('help')],
      recipients: [{ address: at('help'), status: 'bounced', smtp_code: 552, enhanced_code: '5.2.2' }],
      events: [
        {
          type: 'bounced',
          recipient: at('small'),
          detail: { addressed_to: at('help'), response: expect.stringMatching(/The mailbox is full[^(]*$/) },
        },
      ],
    });
    expect(await webhookEvents()).toEqual([]);
  });

  it('while Dovecot is down appears as deferred, and as received once it is back', async () => {
    await makeAlias(domain.id, 'help', at('ann'));
    await whileStopped('dovecot', async () => {
      expect(await receive([at('help')], { subject: 'Patience' })).toMatch(/^250 /);
      await waitForStatus('deferred', 'Patience');
    });
    const { id } = await message();
    await waitForStatus('received', 'Patience');
    const received = await message();
    expect(received).toMatchObject({ id, recipients: [{ status: 'received', smtp_code: null }] });
    expect(typesOf(received)).toEqual(['deferred', 'received']);
    expect((await webhookEvents()).map(({ event, data }) => [event, data.to])).toEqual([['mail.received', at('ann')]]);
  });
});

describe('inbound mail', () => {
  it('makes one event per mailbox, however it was addressed, with content for webhooks that subscribe to it', async () => {
    await makeAlias(domain.id, 'info', `${at('ann')},${at('bo')}`);
    await makeAlias(domain.id, 'sales', at('ann'));
    const hook = { url: 'https://192.0.2.1/', secret: new Uint8Array(1), createdBy: api.admin.id };
    await db.webhook.create({ data: { ...hook, events: ['mail.received.full'], domainId: domain.id } });
    await receive([at('info'), at('sales'), at('ann')], { subject: 'Offer', body: 'Good morning, all of you.' });
    const received = await waitForEvents('mail.received', 2);
    expect(received.map(({ data }) => data.to).toSorted()).toEqual([at('ann'), at('bo')]);
    expect(received[0]?.data).toMatchObject({
      from: 'someone@elsewhere.example',
      subject: 'Offer',
      domain: domain.name,
    });
    const [full, ...others] = await waitForEvents('mail.received.full', 1);
    expect(others).toEqual([]);
    expect(full?.data).toMatchObject({
      subject: 'Offer',
      body_text: expect.stringContaining('Good morning, all of you.'),
      envelope: { mail_from: 'someone@elsewhere.example', rcpt_to: expect.arrayContaining([at('info'), at('sales')]) },
      spam_score: expect.any(Number),
      spam_action: 'no action',
    });
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({ status: 'received' });
  });

  it('that is long is read from the mailbox', async () => {
    const hook = { url: 'https://192.0.2.1/', secret: new Uint8Array(1), createdBy: api.admin.id };
    await db.webhook.create({ data: { ...hook, events: ['mail.received.full'], domainId: domain.id } });
    const body = `${`${'x'.repeat(70)}\n`.repeat(45_000)}the end`;
    expect(await receive([at('ann')], { body, subject: 'Long' })).toMatch(/^250 /);
    const [event] = await vi.waitFor(
      async () => {
        const found = await db.event.findMany({ where: { domainId: domain.id, type: 'mail.received.full' } });
        return found.length > 0 ? found : Promise.reject(new Error('nothing yet'));
      },
      { timeout: 40_000 },
    );
    const parts = await db.eventPart.findMany({ where: { eventId: event?.id }, orderBy: { position: 'asc' } });
    const { data } = JSON.parse(Buffer.concat(parts.map(({ bytes }) => bytes)).toString()) as WebhookEvent;
    expect(data.subject).toBe('Long');
    expect(String(data.body_text).length).toBeGreaterThan(3_000_000);
    expect(data.body_text).toMatch(/the end\s*$/);
  });

  it('rejected as spam makes one event per address and isn’t delivered', async () => {
    expect(await receive([at('ann'), at('bo')], { body: GTUBE })).toMatch(/^554 5\.7\.1 /);
    const spam = await waitForEvents('mail.spam', 2);
    expect(spam.map(({ data }) => data.to).toSorted()).toEqual([at('ann'), at('bo')]);
    expect(spam[0]?.data).toMatchObject({ from: 'someone@elsewhere.example', spam_score: 15, spam_action: 'reject' });
    expect(await traceOf({ direction: 'inbound' })).toMatchObject({ status: 'spam', spam_score: 15 });
    expect(await webhookEvents('mail.received')).toEqual([]);
  });

  it('is reported even while Redis is down', async () => {
    await whileStopped('redis', async () => {
      await receive([at('ann')], { subject: 'Without a stream' });
      expect(await receive([at('bo')], { body: GTUBE })).toMatch(/^554 /);
      const [received] = await waitForEvents('mail.received', 1);
      expect(received?.data).toMatchObject({ to: at('ann'), subject: 'Without a stream' });
      const [spam] = await waitForEvents('mail.spam', 1);
      expect(spam?.data).toMatchObject({ to: at('bo'), spam_score: 15 });
    });
  });
});
