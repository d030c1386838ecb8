// Paths that the mail server's systemd units don't see (ProtectHome, PrivateTmp) or can't write to (ProtectSystem).
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HIDDEN = /^\/(root|home|run\/user|tmp|var\/tmp)(\/|$)/;
const READ_ONLY = /^\/(usr|boot|efi|etc)(\/|$)/;
const FILES = ['TLS_CERTIFICATE', 'TLS_KEY', 'TLD_FILE'];
/** Where an operator may have given a unit more access, for example in postroom-mail-postfix.service.d. */
const OWN_UNITS = '/etc/systemd/system';

/** @param {string} settingsFile @returns {boolean} whether the units of `install` run what is made of this file */
export function isRunByUnits(settingsFile) {
  if (!existsSync('/run/systemd/system') || HIDDEN.test(settingsFile)) return false;
  return !readdirSync(OWN_UNITS).some((name) => /^postroom-mail-.*\.d$/.test(name));
}

/**
 * @param {Record<string, string | undefined>} settings by the mail server's own names
 * @returns {string[]} what the units can't use, each with what to do
 */
export function accessErrors(settings) {
  const hidden = FILES.filter((name) => leadsTo(settings[name], HIDDEN)).map(
    (name) =>
      `${name} is ${settings[name]}, where the mail server's units have no access: move the file to /etc/ssl, for example.`,
  );
  const { DATA_DIR: data } = settings;
  if (!leadsTo(data, HIDDEN) && !leadsTo(data, READ_ONLY)) return hidden;
  return [
    ...hidden,
    `DATA_DIR is ${data}, where the mail server's units have no access or can't write: use a folder like /var/lib/postroom-mail or /srv/mail. Move what is there, while the mail server is stopped.`,
  ];
}

/** Whether the path, or what its links lead to, is in one of the folders. */
function leadsTo(path, folders) {
  return Boolean(path) && (folders.test(path) || folders.test(targetOf(path)));
}

/** The path without links. Its end needn't exist yet. */
function targetOf(path) {
  if (existsSync(path)) return realpathSync(path);
  return join(targetOf(dirname(path)), path.slice(dirname(path).length));
}
