import { beforeEach, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { untilBlocked } from '@/test/locks';
import { type Answer, expectError, keyClient } from '@/test/rest';
import { columnsOf, contentOf } from './content';

const api = await keyClient({ role: 'admin' });
let id: string;
let path: string;

beforeEach(async () => {
  const { id: domain_id } = await makeDomain();
  const draft = { domain_id, name: 'order', subject: 'One', text_body: 'Hi', html_body: 'Hi {{ name }}' };
  const { data } = await api.post('/templates', { ...draft, variables: [{ name: 'name', type: 'string' }] });
  id = data.id;
  path = `/templates/${id}`;
});

/** Starts a call while another transaction has the row, which changes the subject before the call gets it. */
async function duringChange(start: () => Promise<Answer>): Promise<Answer> {
  const { started } = await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM template WHERE id = ${id}::uuid FOR UPDATE`;
    const started = start();
    await untilBlocked();
    const row = await tx.template.findUniqueOrThrow({ where: { id } });
    await tx.template.update({ where: { id }, data: columnsOf(contentOf({ ...row, subject: 'Two' })) });
    return { started };
  });
  return started;
}

it('makes no change over another one of the same draft', async () => {
  expectError(await duringChange(() => api.patch(path, { text_body: 'Hello' })), 409, 'CONFLICT');
  expect((await api.get(path)).data).toMatchObject({ subject: 'Two', text_body: 'Hi' });
  expect((await api.patch(path, { text_body: 'Hello' })).data).toMatchObject({ subject: 'Two', text_body: 'Hello' });
});

it('makes the last change of the same field, and renames a draft whatever its text is', async () => {
  expect((await duringChange(() => api.patch(path, { subject: 'Three' }))).data.subject).toBe('Three');
  const renamed = await duringChange(() => api.patch(path, { name: 'renamed' }));
  expect(renamed.data).toMatchObject({ name: 'renamed', subject: 'Two' });
});

it('publishes the draft that the caller has seen, and no other', async () => {
  const publish = (tag: string | null) =>
    api.call('POST', `${path}/publish`, { body: {}, headers: { 'if-match': tag ?? '' } });
  const seen = (await api.get(path)).headers.get('etag');
  const changed = await api.patch(path, { subject: 'Changed' });
  const refused = expectError(await publish(seen), 412, 'VERSION_CONFLICT');
  expect(refused.error.details.current).toEqual(changed.data);
  expect((await api.get(path)).data.published_version).toBeNull();
  const published = await publish(changed.headers.get('etag'));
  expect(published.data).toMatchObject({ published_version: 1, subject: 'Changed' });
  expect(published.headers.get('etag')).toBe(changed.headers.get('etag'));
});
