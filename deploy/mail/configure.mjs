// Writes every configuration of the mail server below a folder, from the settings file and the templates:
//   node configure.mjs /etc/postroom-mail/settings /etc/postroom-mail
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeDataFolders, writeConfiguration } from './files.mjs';
import { readSettings } from './settings.mjs';

const [settingsFile, target] = process.argv.slice(2);
if (!settingsFile || !target)
  fail(['Say which settings file to read and which folder to write: configure.mjs SETTINGS FOLDER.']);
if (process.getuid?.() !== 0)
  fail(['Run this as root: the files belong to the accounts of Postfix, Dovecot, Rspamd and Redis.']);

const config = resolve(target);
const { values, faults } = readSettings(settingsFile);
if (!/^[\w./-]+$/.test(config))
  faults.push(`The folder ${config} may have letters, digits and . _ - in its path only.`);
if (faults.length > 0) fail(faults);

try {
  mkdirSync(config, { recursive: true });
  writeConfiguration(config, { ...values, config });
  makeDataFolders(values);
} catch (error) {
  fail([`The configuration could not be written: ${error.message}.`]);
}

function fail(sentences) {
  for (const sentence of sentences) console.error(sentence);
  process.exit(1);
}
