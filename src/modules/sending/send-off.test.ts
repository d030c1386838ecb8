import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';

setSettings({ SMTP_URL: 'off' });

it('responds SEND_UNAVAILABLE and stores nothing if sending is disabled', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const message = { from: { email: `a@${domain.name}` }, to: [{ email: 'b@c.example' }], subject: 'x', text_body: 'x' };
  expectError(await api.post('/send', message), 503, 'SEND_UNAVAILABLE');
  expect(await db.message.count()).toBe(0);
});

it('says so before a template is rendered, also for a message that is sent later', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const variables = [{ name: 'number', type: 'number' }];
  const given = { domain_id: domain.id, name: 'order', subject: 'Order', text_body: '{{ number }}', variables };
  const { data } = await api.post('/templates', given);
  await api.post(`/templates/${data.id}/publish`, {});
  const message = { from: { email: `a@${domain.name}` }, to: [{ email: 'b@c.example' }], template: { id: 'order' } };
  expectError(await api.post('/send', message), 503, 'SEND_UNAVAILABLE');
  const later = new Date(Date.now() + 3_600_000).toISOString();
  expectError(await api.post('/send', { ...message, send_at: later }), 503, 'SEND_UNAVAILABLE');
});
