import { expect, it } from 'vitest';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { contentSettled, keepContent } from './keeping/keep';

await makeContentStore();

const MB = 1024 * 1024;

it('a message of 40 MB is stored, read and downloaded', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const message = await db.message.create({
    data: {
      messageId: `<${unique()}@a.example>`,
      domainId: domain.id,
      direction: 'inbound',
      fromAddress: 'bo@far.example',
      toAddresses: [],
      subject: 'Large',
      sizeBytes: 40 * MB,
      status: 'received',
    },
  });
  const header = `Subject: Large\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHi\r\n--b\r\nContent-Type: application/zip\r\nContent-Disposition: attachment; filename=a.zip\r\nContent-Transfer-Encoding: base64\r\n\r\n`;
  const line = `${'QUJD'.repeat(19)}\r\n`;
  const raw = new Uint8Array(
    Buffer.concat([Buffer.from(header), Buffer.alloc(40 * MB, line), Buffer.from('\r\n--b--\r\n')]),
  );
  const size = raw.byteLength;
  keepContent({ messageId: message.id, domainId: domain.id, sizeBytes: size, at: new Date(), read: async () => raw });
  await contentSettled();
  await expect.poll(async () => (await api.get(`/messages/${message.id}`)).data.content.state).toBe('kept');
  const { data } = await api.get(`/messages/${message.id}/content`);
  expect(data).toMatchObject({ text: expect.stringContaining('Hi'), attachments: [{ filename: 'a.zip' }] });
  const { body } = await api.download(`/messages/${message.id}/raw`);
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.byteLength;
  expect(bytes).toBe(size);
});
