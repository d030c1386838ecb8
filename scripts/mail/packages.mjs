import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../process/plain-error.mjs';
import { installFromDebian, isDebianAsRoot } from '../testing/debian.mjs';

// An ACME server, and an SMTP client that isn't ours.
const TEST_PACKAGES = ['pebble', 'python3'];

const deploy = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'deploy', 'mail');

/** @throws PlainError if the mail server can't run on this machine */
export function checkMailServerCanRun() {
  if (isDebianAsRoot()) return;
  throw new PlainError(
    'The mail server runs on Debian and starts as root (Postfix, Dovecot, Rspamd and Redis each switch to their own ' +
      'user), so these tests need root on Debian, for example in a debian:12 container.',
  );
}

export function isMailServerInstalled() {
  // Packages of an architecture have it in the name of the file.
  const installed = new Set(readdirSync('/var/lib/dpkg/info').map((file) => file.replace(/(?::\w+)?\.list$/, '')));
  return testPackages().every((name) => installed.has(name));
}

export function installMailServer() {
  installFromDebian(...testPackages());
  if (!isMailServerInstalled()) throw new PlainError("The mail server's packages could not be installed.");
}

/** Debian packages of the mail server, and of what its tests need besides. */
export function testPackages() {
  const deployed = readFileSync(join(deploy, 'packages'), 'utf8').split('\n').filter(Boolean);
  return [...deployed, ...TEST_PACKAGES];
}
