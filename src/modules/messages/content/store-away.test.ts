import { rename, rm, writeFile } from 'node:fs/promises';
import { afterAll, expect, it } from 'vitest';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { contentSettled } from './keeping/keep';

const storeFolder = await makeContentStore();

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

it('a message is sent as usual while the store is away, and says that its content was not kept', async () => {
  const domain = await makeDomain();
  const api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
  await rename(storeFolder, `${storeFolder}-away`);
  await writeFile(storeFolder, 'a file in its place');
  const message = {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Hi',
    text_body: 'Hi',
  };
  const answers = await Promise.all(Array.from({ length: 10 }, () => api.post('/send', message)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await contentSettled();
  for (const { data } of answers) {
    const { id } = await db.message.findFirstOrThrow({ where: { messageId: data.message_id } });
    const { content, status } = (await api.get(`/messages/${id}`)).data;
    expect({ status, ...content }).toMatchObject({ status: 'sent', state: 'not_kept', reason: 'store_away' });
    expectError(await api.post(`/messages/${id}/resend`), 404, 'CONTENT_UNAVAILABLE');
  }
  await rm(storeFolder);
  await rename(`${storeFolder}-away`, storeFolder);
});
