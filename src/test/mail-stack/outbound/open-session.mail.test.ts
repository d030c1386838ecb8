import { beforeEach, expect, it } from 'vitest';
import { makeAlias, makeDomain, makeMailbox, newName } from '../support/directory';
import { db } from '../support/mail-server';
import { openInbound, type SmtpSession } from '../support/smtp-session';

// Each session has one Postfix process, with its connections and caches.
let session: SmtpSession;
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  session = await openInbound();
  domain = await makeDomain();
});

it('a rejected domain receives mail as soon as it is added', async () => {
  const name = `${newName()}.example`;
  expect(await session.recipient(`ann@${name}`)).toMatch(/^554 5\.7\.1 /);
  const added = await makeDomain({ name });
  await makeMailbox(added.id, 'ann');
  expect(await session.recipient(`ann@${name}`)).toMatch(/^250 /);
});

it('a mailbox receives mail as soon as it is created, and none once it is inactive', async () => {
  expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.1 /);
  const { id } = await makeMailbox(domain.id, 'ann');
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
  await db.mailbox.update({ where: { id }, data: { active: false } });
  expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.1 /);
});

it('an alias takes effect as soon as it is active, and no longer once it is inactive', async () => {
  const { id } = await makeAlias(domain.id, 'info', 'x@far.example', { active: false });
  expect(await session.recipient(at('info'))).toMatch(/^550 5\.1\.1 /);
  await db.alias.update({ where: { id }, data: { active: true } });
  expect(await session.recipient(at('info'))).toMatch(/^250 /);
  await db.alias.update({ where: { id }, data: { active: false } });
  expect(await session.recipient(at('info'))).toMatch(/^550 5\.1\.1 /);
});

it('a domain receives no mail once it is inactive, and receives it again once it is active', async () => {
  await makeMailbox(domain.id, 'ann');
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
  await db.domain.update({ where: { id: domain.id }, data: { active: false } });
  expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.2 /);
  await db.domain.update({ where: { id: domain.id }, data: { active: true } });
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
});

it('lost database connections cause no permanent rejection, and are reopened', async () => {
  await makeMailbox(domain.id, 'ann');
  expect(await session.recipient(at('ann'))).toMatch(/^250 /);
  await db.$queryRaw`SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE usename = 'mta_read'`;
  expect(await session.recipient(at('ann'))).toMatch(/^(250|45\d) /);
  await expect.poll(() => session.recipient(at('ann')), { timeout: 10_000 }).toMatch(/^250 /);
  expect(await session.recipient(at('nobody'))).toMatch(/^550 5\.1\.1 /);
});
