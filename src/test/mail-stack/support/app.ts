import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { newApiKey } from '@/server/secrets/api-key.mjs';
import { sha256 } from '@/server/secrets/crypto';
import { newName } from './directory';
import { db } from './mail-server';

/** A tRPC caller with an API key of a new super admin. */
export async function callApp() {
  const { key, prefix } = newApiKey();
  const apiKey = { name: 'test', keyPrefix: prefix, keyHash: sha256(key), rateLimit: 0 };
  await db.admin.create({
    data: { email: `${newName()}@admins.example`, role: 'super_admin', apiKeys: { create: apiKey } },
  });
  const headers = { authorization: `Bearer ${key}`, 'x-postroom-client-ip': '2001:db8::1' };
  return appRouter.createCaller(createContext(new Request('http://localhost:3000/', { headers })));
}
