import { askAgent, auditFailure, findRelays } from '@/modules/mail-server/service';
import type { Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import { env } from '@/server/settings/env';
import type { Relay, RelayTest, TestRelay } from './schema';

// The agent ends a test after 25 seconds.
const TEST_WITHIN_MS = 30_000;
const RESOURCE = 'relay';

/** The relays of the mail servers that are attached and use one. */
export async function listRelays(db: Tx): Promise<Relay[]> {
  const agents = await findRelays(db);
  return agents.map(({ host, relay: { destination, user, tls, isTlsFromStart } }) => ({
    ...{ host, destination, user: user === '' ? null : user, tls },
    ...{ tls_from_start: isTlsFromStart, spf: env().relaySpf ?? null },
  }));
}

/** @throws CONFLICT without a relay; the errors of askAgent */
export async function testRelay(ctx: MutationContext, mail: TestRelay): Promise<RelayTest> {
  const { host, result } = await auditFailure(ctx, { resource: RESOURCE }, () =>
    askAgent(ctx.db, 'relay.test', mail, { withinMs: TEST_WITHIN_MS }),
  );
  if (!result) {
    const refusal = new AppError('CONFLICT', `${host} sends without a relay. Set RELAY_HOST there first.`);
    const details = { code: refusal.apiCode, message: refusal.message };
    await ctx.auditAlone({ resource: RESOURCE, outcome: 'denied', details });
    throw refusal;
  }
  const { outcome, message } = result;
  await ctx.auditAlone({ resource: RESOURCE, details: { host, ...mail, outcome, message } });
  return { host, ...result };
}
