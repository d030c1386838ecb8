import { expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { isForeignKeyViolation } from '@/server/database/db';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { makeAdmin, makeDomain } from '@/test/factories';
import { untilBlocked } from '@/test/locks';
import { admitMessages, messageRow } from './message-row';

const { id, email, role, totpEnabled, lastLoginAt } = await makeAdmin();
const admin = { id, email, role, totpEnabled, lastLoginAt };
const actor = { admin, assignedDomainIds: [], session: null, key: null, writtenTo: null };
const ctx = { ...createContext(new Request('http://localhost:3000')), actor };

function rowFrom(domain: string) {
  const from = `shop@${domain}`;
  const message = {
    from,
    recipients: [{ address: 'ann@far.example', kind: 'to' as const }],
    subject: 'Hello',
    messageId: `<${uuidv7()}@${domain}>`,
    raw: new Uint8Array(1),
    envelope: { from, to: ['ann@far.example'] },
  };
  return messageRow(ctx, { id: uuidv7(), message, isSendable: true });
}

it('neither stores nor counts a message whose domain is deleted in the meantime', async () => {
  const { id: domainId, name } = await makeDomain();
  const admission = await db.$transaction(async (tx) => {
    await tx.domain.delete({ where: { id: domainId } });
    const started = admitMessages(db, [rowFrom(name)]).catch((error) => error);
    await untilBlocked();
    return { started };
  });
  expect(await admission.started).toSatisfy(isForeignKeyViolation);
  expect([await db.message.count(), await db.countedSend.count()]).toEqual([0, 0]);
});

it('stores messages of several domains in one statement, also while another one takes them in reverse', async () => {
  const domains = await Promise.all(Array.from({ length: 8 }, () => makeDomain()));
  const rows = domains.map(({ name }) => rowFrom(name));
  const reversed = domains.toReversed().map(({ name }) => rowFrom(name));
  for (const admissions of await Promise.all([admitMessages(db, rows), admitMessages(db, reversed)])) {
    expect(admissions.map(({ counting }) => counting?.result)).toEqual(Array(8).fill('counted'));
  }
  expect(await db.message.count({ where: { domainId: { in: domains.map((domain) => domain.id) } } })).toBe(16);
});
