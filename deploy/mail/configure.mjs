// Writes all configuration files of the mail server to a folder, from the settings file and the templates:
//   node configure.mjs /etc/postroom-mail/settings /etc/postroom-mail
// Without a folder, checks the settings and writes nothing. With --print, writes nothing either and prints the files as
// JSON, for Postroom's agent.
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeCertificate } from './certificate.mjs';
import { readSnippets } from './custom.mjs';
import { generateFiles, makeDataFolders, writeFiles } from './files.mjs';
import { readSettings, secretsOf } from './settings.mjs';

const [settingsFile, target, option] = process.argv.slice(2);
if (!settingsFile || ![undefined, '--print'].includes(option))
  fail(['Usage: configure.mjs SETTINGS [FOLDER [--print]]']);
if (process.getuid?.() !== 0)
  fail(['Run this as root: the files belong to the users of Postfix, Dovecot, Rspamd and Redis.']);

const { values, errors } = readSettings(settingsFile);
const [settings, config] = [settingsFile, target].map((path) => path && resolve(path));
for (const path of [settings, config]) {
  if (path && !/^[\w./-]+$/.test(path)) errors.push(`The path ${path} can have only letters, digits and . _ - /.`);
}
if (errors.length > 0) fail(errors);

if (config && values) write(config, { ...values, config, settings });

function write(folder, values) {
  try {
    const files = generateFiles(values);
    if (option === '--print') {
      const custom = Object.keys(readSnippets(folder));
      process.stdout.write(JSON.stringify({ files, custom, database: values.database, secrets: secretsOf(values) }));
      return;
    }
    mkdirSync(folder, { recursive: true });
    // A half-done operation of the agent is discarded too, so that the agent won't undo this.
    rmSync(join(folder, '.operation'), { recursive: true, force: true });
    writeFiles(folder, files);
    makeDataFolders(values);
    if (values.acme_email !== '') makeCertificate(values);
  } catch (error) {
    fail([`The configuration couldn't be written: ${error.message}.`]);
  }
}

function fail(sentences) {
  for (const sentence of sentences) console.error(sentence);
  process.exit(1);
}
