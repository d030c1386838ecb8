import { readRelay, testRelay, withoutPassword } from '../../../deploy/mail/relay.mjs';
import type { Installation } from './installation';
import type { AgentHandlers, ShownRelay } from './requests';

/** Reads the relay of Postfix's current configuration, without the password; null without a relay. */
export function readShownRelay(config: string): ShownRelay | null {
  const relay = readRelay(config);
  if (!relay) return null;
  const { destination, user, tls, isTlsFromStart } = relay;
  return { destination, user: withoutPassword(user, relay), tls, isTlsFromStart };
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
