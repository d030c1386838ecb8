// Writes all configuration files of the mail server to a folder, from the settings file and the templates:
//   node configure.mjs /etc/postroom-mail/settings /etc/postroom-mail
// Without a folder, checks the settings and writes nothing.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeDataFolders, writeConfiguration } from './files.mjs';
import { readSettings } from './settings.mjs';

const [settingsFile, target] = process.argv.slice(2);
if (!settingsFile) fail(['Usage: configure.mjs SETTINGS [FOLDER]']);
if (process.getuid?.() !== 0)
  fail(['Run this as root: the files belong to the users of Postfix, Dovecot, Rspamd and Redis.']);

const { values, errors } = readSettings(settingsFile);
const config = target && resolve(target);
if (config && !/^[\w./-]+$/.test(config))
  errors.push(`The path of the folder ${config} can have only letters, digits and . _ - /.`);
if (errors.length > 0) fail(errors);

if (config && values) write(config, values);

function write(folder, values) {
  try {
    mkdirSync(folder, { recursive: true });
    writeConfiguration(folder, { ...values, config: folder });
    makeDataFolders(values);
  } catch (error) {
    fail([`The configuration couldn't be written: ${error.message}.`]);
  }
}

function fail(sentences) {
  for (const sentence of sentences) console.error(sentence);
  process.exit(1);
}
