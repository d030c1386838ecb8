import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../process/plain-error.mjs';
import { isDebianAsRoot } from '../testing/debian.mjs';

const deploy = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'deploy', 'mail');

/** @throws PlainError where the mail server cannot run at all */
export function checkMailServerCanRun() {
  if (isDebianAsRoot()) return;
  throw new PlainError(
    'The mail server runs on Debian and is started as root (Postfix, Dovecot, Rspamd and Redis each change to a user ' +
      'of their own), so that these tests run as root on Debian only: a container of debian:12 will do.',
  );
}

export function isMailServerInstalled() {
  return packages().every((name) => existsSync(`/var/lib/dpkg/info/${name}.list`));
}

export function installMailServer() {
  const { status } = spawnSync(join(deploy, 'install-packages'), { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0 || !isMailServerInstalled())
    throw new PlainError('The packages of the mail server could not be installed.');
}

function packages() {
  return readFileSync(join(deploy, 'packages'), 'utf8').split('\n').filter(Boolean);
}
