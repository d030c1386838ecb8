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
