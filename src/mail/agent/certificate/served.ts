import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Installation } from '../installation';

const TIMEOUT_MS = 5_000;

/** SHA-256 of the certificates that the services show to clients now; null for one that doesn't answer. */
export async function servedFingerprints(
  installation: Installation,
): Promise<Record<'postfix' | 'dovecot', string | null>> {
  const { ports } = installation;
  const [postfix, dovecot] = await Promise.all([
    fingerprintAt(installation, ports.submissions),
    fingerprintAt(installation, ports.imaps),
  ]);
  return { postfix, dovecot };
}

async function fingerprintAt({ probeAddress, host }: Installation, port: number): Promise<string | null> {
  const socket = connect({ host: probeAddress, port, servername: host, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return socket.getPeerCertificate().fingerprint256;
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
}
