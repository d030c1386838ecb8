import {
  keepsRelayPassword,
  type RelayInput,
  type RelaySettings,
  relayPasswordPlace,
  SET_RELAY,
} from '@/lib/mail/operations';
import { askAgent, attachedHosts, auditFailure, findRelays, requireMailServer } from '@/modules/mail-server/service';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import { seal } from '@/server/secrets/sealing';
import type { Operation, RelayTest, SetRelay, TestRelay } from './schema';
import { chooseHost, startOperation } from './service';

// The agent ends a test after 25 seconds.
const TEST_WITHIN_MS = 30_000;
const RESOURCE = 'relay';

/**
 * Has a mail server write the relay to its settings file and apply it. The password is sealed until then.
 * @throws as startOperation does
 */
export async function setRelay(ctx: MutationContext, { host: wanted, relay }: SetRelay): Promise<Operation> {
  await requireMailServer(ctx.db);
  const host = chooseHost(await attachedHosts(ctx.db), wanted);
  const { destination = null, user = null, tls = null, password = null } = relay ?? {};
  const shown = destination === null ? null : { destination, user, tls };
  const sealed = shown && password && Buffer.from(seal(relayPasswordPlace(host, shown), password)).toString('base64');
  if (shown?.user && !password) await requireFormerPassword(ctx.db, host, shown);
  const input: RelayInput = { relay: shown, password: sealed };
  return startOperation(ctx, { action: SET_RELAY, host, input, facts: { relay: shown } });
}

/** @throws VALIDATION_ERROR unless the mail server uses this relay now, whose password then stays */
async function requireFormerPassword(db: Tx, host: string, wanted: RelaySettings): Promise<void> {
  const former = (await findRelays(db)).find((each) => each.host === host)?.relay ?? null;
  if (keepsRelayPassword(former && { ...former, user: former.user || null }, wanted)) return;
  const message = 'Enter the password. The one that is set stays for the same server and user only.';
  throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'relay.password', message }] } });
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
