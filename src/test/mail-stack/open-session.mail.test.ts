import { beforeEach, expect, it } from 'vitest';
import { makeAlias, makeDomain, makeMailbox, newName } from './support/directory';
import { db } from './support/mail-server';
import { openInbound, type SmtpSession } from './support/smtp-session';

// Postfix keeps a process, its connections and its caches for as long as a session lasts.
let session: SmtpSession;
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  session = await openInbound();
  domain = await makeDomain();
});

it('a domain that was refused takes mail as soon as it is added', async () => {
  const name = `${newName()}.example`;
  expect(await session.recipient(`ann@${name}`)).toMatch(/^554 5\.7\.1 /);
  const added = await makeDomain({ name });
  await makeMailbox(added.id, 'ann');
  expect(await session.recipient(`ann@${name}`)).toMatch(/^250 /);
});

it('a mailbox takes mail as soon as it is made, and none as soon as it is deactivated', async () => {
  expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.1 /);
  const { id } = await makeMailbox(domain.id, 'ann');
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
  await db.mailbox.update({ where: { id }, data: { active: false } });
  expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.1 /);
});

it('an alias is there as soon as it is switched on, and gone as soon as it is switched off', async () => {
  const { id } = await makeAlias(domain.id, 'info', 'x@far.example', { active: false });
  expect(await session.recipient(at('info'))).toMatch(/^550 5\.1\.1 /);
  await db.alias.update({ where: { id }, data: { active: true } });
  expect(await session.recipient(at('info'))).toMatch(/^250 /);
  await db.alias.update({ where: { id }, data: { active: false } });
  expect(await session.recipient(at('info'))).toMatch(/^550 5\.1\.1 /);
});

it('a domain takes no mail as soon as it is deactivated, and takes it again when it is active', async () => {
  await makeMailbox(domain.id, 'ann');
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
  await db.domain.update({ where: { id: domain.id }, data: { active: false } });
  expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.2 /);
  await db.domain.update({ where: { id: domain.id }, data: { active: true } });
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
});

it('lost connections to the database refuse nobody for good, and mend by themselves', async () => {
  await makeMailbox(domain.id, 'ann');
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
  await db.$queryRaw`SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE usename = 'mta_read'`;
  expect(await session.recipient(at('ann'))).toMatch(/^(250|45\d) /);
  await expect.poll(() => session.recipient(at('ann')), { timeout: 10_000 }).toMatch(/^250 /);
  expect(await session.recipient(at('nobody'))).toMatch(/^550 5\.1\.1 /);
});
