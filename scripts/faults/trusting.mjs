import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An environment in which the app may deliver to endpoints on this machine with this certificate. */
export function trusting(env, cert) {
  const file = join(mkdtempSync(join(tmpdir(), 'postroom-trust-')), 'ca.pem');
  writeFileSync(file, cert);
  return { ...env, WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', NODE_EXTRA_CA_CERTS: file };
}
