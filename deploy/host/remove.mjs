import { existsSync, rmSync } from 'node:fs';
import { run, succeeds } from './commands.mjs';
import { removeProxy } from './proxy.mjs';
import { readSettings } from './settings.mjs';
import { endUpgradeState } from './upgrade-state.mjs';

const MAIL = ['redis', 'rspamd', 'dovecot', 'postfix', 'agent'].map((name) => `postroom-mail-${name}.service`);
const UNITS = ['postroom-mail.target', ...MAIL.toReversed(), 'postroom.service'];
const FOLDER = '/etc/systemd/system';
const KEPT = `Removed the services. These stay:

  mail and its queue    DATA_FOLDER
  data of the app       /var/lib/postroom
  database              postroom, in Postgres
  settings              /etc/postroom/settings, with the key that stored secrets are encrypted with
  Debian packages, Node.js and the folder of Postroom

"deploy/install" starts everything again.`;

/** Stops and removes the services, and what they leave on the host but data. @returns {number} the exit code */
export function remove() {
  for (const unit of UNITS) {
    const file = `${FOLDER}/${unit}`;
    if (existsSync(file)) run('systemctl', ['disable', '--now', '--quiet', unit]);
    for (const suffix of ['', '.new', '.part']) rmSync(`${file}${suffix}`, { force: true });
  }
  run('systemctl', ['daemon-reload']);
  succeeds('systemctl', ['reset-failed', ...UNITS]);
  for (const file of ['/etc/logrotate.d/postroom-mail', '/etc/apt/apt.conf.d/90postroom-mail'])
    rmSync(file, { force: true });
  removeProxy();
  endUpgradeState();
  console.log(KEPT.replace('DATA_FOLDER', readSettings().MAIL_DATA_DIR ?? '/var/lib/postroom-mail'));
  return 0;
}
