import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { env } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, makeMailbox, makeWebhook } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

/** The tables that grow with mail. */
const HISTORY = [
  'message, message_recipient, message_event, message_content, counted_send, limited_send, event, webhook_delivery',
  'dmarc_report, dmarc_row, dmarc_day, dmarc_source_day, tls_report, tls_failure',
].join(', ');

/** Blocks every write to the history: a deletion that updates or deletes rows of it would wait, and take longer the more there are. */
async function forbidWrites(): Promise<void> {
  const holder = new pg.Client(env().databaseUrl);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query(`BEGIN; LOCK TABLE ${HISTORY} IN SHARE MODE`);
}

async function makeMessage(domain: { id: string; name: string }, id = uuidv7()) {
  const from = `ann@${domain.name}`;
  const data = { messageId: `<${id}@${domain.name}>`, fromAddress: from, toAddresses: [], subject: '', sizeBytes: 1 };
  await db.message.create({ data: { id, domainId: domain.id, direction: 'outbound', status: 'sent', ...data } });
  await db.countedSend.create({ data: { id, address: from, domainId: domain.id, at: new Date() } });
  return id;
}

it('deleting a domain, a webhook, a mailbox or an admin touches none of their history', async () => {
  const api = await keyClient({ role: 'super_admin' });
  const [domain, other] = [await makeDomain(), await makeDomain()];
  await makeMessage(domain);
  const mailbox = await makeMailbox(other.id, 'ann');
  const webhook = await makeWebhook({ domainId: other.id });
  const admin = await makeAdmin();
  await makeApiKey(admin.id);
  await forbidWrites();
  for (const path of [
    `/domains/${domain.id}`,
    `/webhooks/${webhook.id}`,
    `/mailboxes/${mailbox.id}`,
    `/admins/${admin.id}`,
  ]) {
    expect((await api.delete(path)).status).toBe(200);
  }
});

it('the messages of a deleted domain stay, and a key scoped to it no longer reaches them', async () => {
  const [domain, kept] = [await makeDomain(), await makeDomain()];
  const [lost, seen] = [await makeMessage(domain), await makeMessage(kept)];
  const api = await keyClient({ role: 'super_admin' });
  const scoped = await keyClient({ role: 'super_admin', scopedDomainIds: [domain.id, kept.id] });
  const onlyDeleted = await keyClient({ role: 'super_admin', scopedDomainIds: [domain.id] });
  await api.delete(`/domains/${domain.id}`);
  expect((await api.get(`/messages/${lost}`)).data).toMatchObject({ domain_id: domain.id });
  expectError(await scoped.get(`/messages/${lost}`), 404, 'NOT_FOUND');
  expect((await scoped.get('/messages')).data).toMatchObject([{ id: seen }]);
  expect((await onlyDeleted.get('/messages')).data).toEqual([]);
});

it('a message is not stored for a domain that does not exist', async () => {
  await expect(makeMessage({ id: uuidv7(), name: 'gone.example' })).rejects.toThrow(
    /foreign key|message_domain_id_fkey/i,
  );
});
