import { beforeEach, describe, expect, it } from 'vitest';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { accepted, messageCopies, reportRun, stored } from '@/test/mail/logged-mail';
import { makeOneMessage, OFFER, type OneMessage } from '@/test/mail/one-message';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { keyClient } from '@/test/rest';
import { createDeliveryReporter } from '../mail-log/inbound/deliveries';
import { mailServerCalls } from '../service';
import { contentSettled } from './keeping/keep';

await makeContentStore();

const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * 1024 * 1024 });
const api = await keyClient();

/** The messages of a domain, once their content is stored. */
async function messagesOf(domainId: string) {
  await contentSettled();
  const { data } = await api.get(`/messages?domain_id=${domainId}`);
  return Promise.all(data.map(async ({ id }: { id: string }) => (await api.get(`/messages/${id}`)).data));
}

const rawOf = async ({ id }: { id: string }) => (await api.download(`/messages/${id}/raw`)).text();

describe('mail that the sandbox receives', () => {
  it('is kept as it arrived, for each domain that it was addressed to', async () => {
    const [one, other] = [await makeDomain(), await makeDomain()];
    for (const { id } of [one, other]) await makeMailbox(id, 'ann');
    const raw = 'From: Bo <bo@far.example>\r\nSubject: In\r\n\r\nHello\r\n';
    await sendRaw(raw, [`ann@${one.name}`, `ann@${other.name}`]);
    for (const domain of [one, other]) {
      const [message] = await messagesOf(domain.id);
      expect(message.content).toMatchObject({ state: 'kept', size: raw.length });
      expect(await rawOf(message)).toBe(raw);
    }
    const scoped = await keyClient({ role: 'domain_admin', domainIds: [one.id] });
    const [foreign] = await messagesOf(other.id);
    expect((await scoped.get(`/messages/${foreign.id}/content`)).status).toBe(404);
  });
});

describe('mail that the mail server receives', () => {
  let mail: OneMessage;
  const at = (local: string) => `${local}@${mail.domain.name}`;

  beforeEach(async () => {
    mail = await makeOneMessage('ann');
  });

  async function report(fetch: () => Promise<Uint8Array | null>) {
    const facts = accepted('bo@far.example', { messageId: '<logged@far.example>' });
    await mail.logged(...facts, stored(at('ann')), { kind: 'removed' });
    await createDeliveryReporter(db, messageCopies({ fetch }))(reportRun());
    return (await messagesOf(mail.domain.id))[0];
  }

  it('is kept as the filter saw it', async () => {
    await mail.filtered({ recipients: [at('ann')] }, OFFER);
    expect(await rawOf(await report(async () => null))).toBe(OFFER);
  });

  it('is read from the mailbox if it was too long for the filter', async () => {
    await mail.filtered({ recipients: [at('ann')], is_whole: false }, OFFER.slice(0, 60));
    expect(await rawOf(await report(async () => Buffer.from(OFFER)))).toBe(OFFER);
  });

  it('is not kept if only its header is left, and says so', async () => {
    await mail.filtered({ recipients: [at('ann')], is_whole: false }, OFFER.slice(0, 60));
    const { content } = await report(async () => null);
    expect(content).toMatchObject({
      state: 'not_kept',
      reason: 'no_copy',
      message: 'Your mail server had no copy of the whole message.',
    });
  });

  it('is recorded without waiting for a mailbox that does not answer', async () => {
    await mail.filtered({ recipients: [at('ann')], is_whole: false }, OFFER.slice(0, 60));
    let answer: (copy: Uint8Array) => void = () => {};
    const slow = () =>
      new Promise<Uint8Array>((resolve) => {
        answer = resolve;
      });
    const facts = accepted('bo@far.example', { messageId: '<logged@far.example>' });
    await mail.logged(...facts, stored(at('ann')), { kind: 'removed' });
    await createDeliveryReporter(db, messageCopies({ fetch: slow }))(reportRun());
    const [row] = await db.message.findMany({ where: { domainId: mail.domain.id } });
    expect(row).toMatchObject({ status: 'received' });
    await expect.poll(async () => answer.length).toBe(1);
    answer(Buffer.from(OFFER));
    const [message] = await messagesOf(mail.domain.id);
    expect(message.content.state).toBe('kept');
  });
});
