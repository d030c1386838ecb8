// Writes every configuration of the mail server below a folder, from the settings file and the templates:
//   node configure.mjs /etc/postroom-mail/settings /etc/postroom-mail
// Without a folder it says what is wrong in the settings, and writes nothing.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeDataFolders, writeConfiguration } from './files.mjs';
import { readSettings } from './settings.mjs';

const [settingsFile, target] = process.argv.slice(2);
if (!settingsFile)
  fail(['Say which settings file to read and which folder to write: configure.mjs SETTINGS [FOLDER].']);
if (process.getuid?.() !== 0)
  fail(['Run this as root: the files belong to the accounts of Postfix, Dovecot, Rspamd and Redis.']);

const { values, errors } = readSettings(settingsFile);
const config = target && resolve(target);
if (config && !/^[\w./-]+$/.test(config))
  errors.push(`The folder ${config} may have letters, digits and . _ - in its path only.`);
if (errors.length > 0) fail(errors);

if (config) write(config);

function write(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    writeConfiguration(folder, { ...values, config: folder });
    makeDataFolders(values);
  } catch (error) {
    fail([`The configuration could not be written: ${error.message}.`]);
  }
}

function fail(sentences) {
  for (const sentence of sentences) console.error(sentence);
  process.exit(1);
}
