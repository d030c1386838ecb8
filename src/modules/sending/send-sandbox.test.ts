import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { outboundMta } from './mta';
import { mtaKind } from './service';

const dataDir = await vi.hoisted(async () => {
  const { mkdtemp } = await import('node:fs/promises');
  process.env.DATA_DIR = await mkdtemp(`${(await import('node:os')).tmpdir()}/postroom-sandbox-`);
  return process.env.DATA_DIR;
});

afterAll(async () => {
  await (await outboundMta())?.close();
  await rm(dataDir, { recursive: true, force: true });
});

it('without SMTP_URL the sandbox keeps each message as it was submitted, and its queue id', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const body = {
    from: { email: `a@${domain.name}` },
    to: [{ email: 'b@far.example' }],
    subject: 'Kept',
    text_body: '.\nHello',
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => api.post('/send', body)));
  expect(mtaKind()).toBe('sandbox');
  const messages = (await api.get(`/messages?domain_id=${domain.id}`)).data;
  expect(messages.map((message: { status: string }) => message.status)).toEqual(Array(5).fill('sent'));
  for (const { data } of answers) {
    const { queue_id: queueId } = messages.find(
      (message: { message_id: string }) => message.message_id === data.message_id,
    );
    const kept = await readFile(path.join(dataDir, 'sandbox', `${queueId}.eml`), 'utf8');
    expect(kept).toContain(data.message_id);
    expect(kept).toContain('\r\n\r\n.\r\nHello');
  }
  const files = await readdir(path.join(dataDir, 'sandbox'));
  expect(files.filter((file) => file.endsWith('.eml'))).toHaveLength(5);
});
