import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import type { AuthorizedDomain } from '@/server/access/authorize';
import { isForeignKeyViolation } from '@/server/db';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { makeAdmin } from '@/test/factories';
import { createMessage } from './message-row';

it('neither stores nor counts a message whose domain was deleted in the meantime', async () => {
  const { id, email, role, totpEnabled, lastLoginAt } = await makeAdmin();
  const admin = { id, email, role, totpEnabled, lastLoginAt };
  const actor = { admin, assignedDomainIds: [], session: null, key: null };
  const domain = { id: uuidv7(), name: 'gone.example', active: true } as AuthorizedDomain;
  const message = {
    from: 'shop@gone.example',
    recipients: [{ address: 'ann@far.example', kind: 'to' as const }],
    subject: 'Hello',
    messageId: '<1@gone.example>',
    raw: new Uint8Array(1),
    envelope: { from: 'shop@gone.example', to: ['ann@far.example'] },
  };
  const ctx = { ...createContext(new Request('http://localhost:3000')), actor };
  const creation = createMessage(ctx, { id: uuidv7(), domain, message, slot: undefined });
  await expect(creation).rejects.toSatisfy(isForeignKeyViolation);
  expect([await db.message.count(), await db.countedSend.count()]).toEqual([0, 0]);
});
