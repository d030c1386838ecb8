// Writes the settings file of the mail server's container from its environment: node write-settings.mjs FILE. The settings have the names
// that they have beside those of the app; a secret can be in the file that NAME_FILE names.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readSecretFiles } from '../../../src/server/settings/secret-files.mjs';
import { postmasterOf } from '../../host/settings.mjs';
import { FROM_ENVIRONMENT, NAMES, nameOnWholeHost, SECRET_SETTINGS } from '../../mail/settings.mjs';

const { env } = process;
const problems = readSecretFiles(env, SECRET_SETTINGS.map(nameOnWholeHost));
if (env.MAIL_HOST) {
  env.MAIL_POSTMASTER ||= postmasterOf(env.MAIL_HOST);
  if (!env.MAIL_TLS_CERTIFICATE) env.MAIL_ACME_EMAIL ||= env.MAIL_POSTMASTER;
} else problems.push('Set MAIL_HOST to the full name of this mail server, such as mail.example.com.');
const given = NAMES.map(nameOnWholeHost).filter((name) => env[name]);
for (const name of given) if (/[\r\n]/.test(env[name] ?? '')) problems.push(`${name} has several lines.`);
if (problems.length > 0) {
  for (const sentence of problems) console.error(sentence);
  process.exit(1);
}
mkdirSync(dirname(process.argv[2] ?? ''), { recursive: true });
const lines = [FROM_ENVIRONMENT, ...given.map((name) => `${name}=${env[name]}`), ''];
writeFileSync(process.argv[2] ?? '', lines.join('\n'), { mode: 0o600 });
