import { type Finding, unknown } from '@/lib/health/finding';
import { type RelayResult, readRelay, testRelay, withoutPassword } from '../../../deploy/mail/relay.mjs';
import type { Installation } from './installation';
import type { AgentHandlers, ShownRelay } from './requests';

/** Reads the relay of Postfix's current configuration, without the password; null without a relay. */
export function readShownRelay(config: string): ShownRelay | null {
  const relay = readRelay(config);
  if (!relay) return null;
  const { destination, user, tls, isTlsFromStart } = relay;
  return { destination, user: withoutPassword(user, relay), tls, isTlsFromStart };
}

const TEST_EVERY_MS = 10 * 60_000;
const TEST_WITHIN_MS = 15_000;

/**
 * Returns a check of the relay, null without one. It signs in every ten minutes, and with each call while that fails or after the
 * configuration has changed. One failure alone is unknown, since a relay may be busy.
 */
export function createRelayCheck({ host, config }: Pick<Installation, 'host' | 'config'>, now: () => Date) {
  let last: { relay: string; result: RelayResult; at: number; failures: number } | null = null;
  const check = async (): Promise<Finding | null> => {
    const relay = readRelay(config);
    if (!relay) {
      last = null;
      return null;
    }
    const key = JSON.stringify(relay);
    const known = last?.relay === key ? last : null;
    const at = now().getTime();
    if (!known || known.failures > 0 || at - known.at >= TEST_EVERY_MS) {
      const result = await testRelay(relay, {}, { timeoutMs: TEST_WITHIN_MS });
      const failures = result.outcome === 'accepted' ? 0 : (known?.failures ?? 0) + 1;
      last = { relay: key, result, at, failures };
    }
    const { failures = 0, result } = last ?? {};
    const status = failures === 0 ? 'ok' : failures === 1 ? 'unknown' : 'down';
    const message = failures === 0 ? '' : (result?.message ?? '');
    return { name: 'relay', subject: host, status, value: null, latencyMs: null, message };
  };
  return () => check().catch((error: unknown) => unknown('relay', host, error));
}

/** Tests the relay of Postfix's current configuration. The password stays on this host. */
export function createRelayHandlers({
  host,
  config,
}: Pick<Installation, 'host' | 'config'>): Pick<AgentHandlers, 'relay.test'> {
  return {
    'relay.test': async (mail) => {
      const relay = readRelay(config);
      return { host, result: relay && (await testRelay(relay, mail)) };
    },
  };
}
