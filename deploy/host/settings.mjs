// The settings of the whole host. The app, the mail server and its agent read the same file.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameOnWholeHost } from '../mail/settings.mjs';
import { accessErrors, isRunByUnits } from '../mail/unit-access.mjs';
import { replaceFile } from './files.mjs';

export const SETTINGS = '/etc/postroom/settings';
export const APP_DATA = '/var/lib/postroom';
const ADDRESS_OF_CHALLENGES = '127.0.0.1:8402';
const HEADER = `# Settings of Postroom on this host, one KEY=value per line. Run deploy/install again after a change.
# .env.example describes those of the app. Those of the mail server, in deploy/mail/settings.example, begin with MAIL_ here,
# and HOSTNAME is MAIL_HOST.
`;

const LINES = /^[ \t]*([A-Z][A-Z0-9_]*)[ \t]*=[ \t]*(.*?)[ \t]*$/gm;
/** Without those of the mail server, which reads its own as they are. */
const OF_APP = /^(?!MAIL_(?!SERVER_CONFIG))/;
const UNAMBIGUOUS = /^(|[^#\\'"`][^#\\]*|'[^']*'|"[^"\\`]*")$/;

/** @typedef {Record<string, string>} Settings */

/** @returns {Settings} by name, without those that are empty */
export function readSettings(file = SETTINGS) {
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8').matchAll(LINES);
  const values = [...lines].map(([, name, value = '']) => [name, value.replace(/^(["'])(.*)\1$/, '$2')]);
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

/**
 * Systemd, which gives the app its settings, and Node.js, which gives them to the commands of deploy/app/run, read these values
 * differently. A passphrase would be another one there.
 * @param {string} text
 * @param {string} file that has it
 * @returns {string[]} a sentence for each
 */
export function ambiguousValues(text, file = SETTINGS) {
  return [...text.matchAll(LINES)]
    .filter(([, name = '', value = '']) => OF_APP.test(name) && !UNAMBIGUOUS.test(value))
    .map(([, name, value = '']) => {
      const quote = value.slice(1, -1).includes("'") ? '"' : "'";
      return `The value of ${name} in ${file} has a # or a backslash, or begins with a quote, so it must be in quotes: ${name}=${quote}…${quote}`;
    });
}

/**
 * @param {Settings} settings
 * @param {{ certificate?: string, key?: string }} [options]
 * @returns {string[]} what keeps the installer from using them; app and mail server check the rest
 */
export function errorsIn(settings, { certificate, key } = {}) {
  const errors = [];
  for (const name of ['DATABASE_URL', 'MAIL_DATABASE'])
    if (settings[name] && !/^postgres(ql)?:\/\/[^@/]+@[^/]+\/[\w-]+(\?.*)?$/.test(settings[name]))
      errors.push(`${name} in ${SETTINGS} must look like postgresql://user:password@host:5432/name.`);
  if (settings.APP_URL && !/^https?:\/\/[\w.-]+(:\d+)?\/?$/.test(settings.APP_URL))
    errors.push(`APP_URL in ${SETTINGS} must look like https://mail.example.com.`);
  if (settings.REVERSE_PROXY && !/^(caddy|none)$/.test(settings.REVERSE_PROXY))
    errors.push(`REVERSE_PROXY in ${SETTINGS} must be caddy or none.`);
  const ofMail = {
    TLS_CERTIFICATE: certificate ?? settings.MAIL_TLS_CERTIFICATE,
    TLS_KEY: key ?? settings.MAIL_TLS_KEY,
    TLD_FILE: settings.MAIL_TLD_FILE,
    DATA_DIR: settings.MAIL_DATA_DIR,
  };
  if (isRunByUnits(SETTINGS)) errors.push(...accessErrors(ofMail).map((text) => `MAIL_${text}`));
  return errors;
}

/**
 * Returns the settings of an installation that was made step by step, with three files instead of one.
 * @param {{ app: string, mail: string }} files
 * @returns {Settings}
 */
export function readFormerSettings({ app, mail }) {
  const given = readSettings(mail);
  // The backup of a whole host may have been restored there.
  const name = 'MAIL_HOST' in given ? (own) => own : nameOnWholeHost;
  const ofMail = Object.entries(given).map(([own, value]) => [name(own), value]);
  return { ...Object.fromEntries(ofMail), ...readSettings(app) };
}

/**
 * Returns what has to be added to the settings or, where an option asks for it, changed. Null removes a setting.
 * @param {Settings} given
 * @param {import('./options.mjs').Options} options
 * @param {{ databasePort: number, secretKey?: string, isPort80Free: boolean }} facts
 * @returns {Record<string, string | null>}
 */
export function missingSettings(given, options, { databasePort, secretKey, isPort80Free }) {
  const host = options.host ?? given.MAIL_HOST ?? '';
  const proxy = options.proxy ?? given.REVERSE_PROXY ?? 'caddy';
  const database = given.DATABASE_URL ?? `postgresql://postroom:${newSecret()}@127.0.0.1:${databasePort}/postroom`;
  const { host: databaseHost, pathname, searchParams } = new URL(database);
  const tls = [...searchParams].filter(([name]) => ['sslmode', 'sslrootcert'].includes(name));
  const tlsOfMail = tls.length > 0 ? `?${tls.map(([name, value]) => `${name}=${value}`).join('&')}` : '';
  const password = given.MAIL_APP_PASSWORD ?? newSecret();
  const address = options.email ?? postmasterOf(host);
  const hasCertificate = options.certificate ?? given.MAIL_TLS_CERTIFICATE;
  const isConsoleOnHost = !given.APP_URL || given.APP_URL === `https://${given.MAIL_HOST}`;
  const asked = {
    MAIL_HOST: options.host,
    APP_URL: options.console ? `https://${options.console}` : isConsoleOnHost ? `https://${host}` : undefined,
    REVERSE_PROXY: options.proxy,
    MAIL_POSTMASTER: options.email,
    ...(options.certificate && {
      MAIL_TLS_CERTIFICATE: options.certificate,
      MAIL_TLS_KEY: options.key,
      ...(given.MAIL_ACME_EMAIL && { MAIL_ACME_EMAIL: null }),
    }),
    ...(options.email && !hasCertificate && { MAIL_ACME_EMAIL: options.email }),
    MAIL_ACME_SERVER: options['acme-server'],
    MAIL_ACME_CA_FILE: options['acme-ca'],
  };
  const defaults = {
    REVERSE_PROXY: 'caddy',
    DATABASE_URL: database,
    SECRET_KEY: secretKey ?? newSecret(),
    HOST: '127.0.0.1',
    PORT: '3000',
    TRUSTED_PROXIES: '127.0.0.1,::1',
    CONTENT_STORE: `file:${APP_DATA}/content`,
    // Certificates aren't checked on loopback, so that the app can send before there is one.
    SMTP_URL: `smtps://postroom:${password}@127.0.0.1:${given.MAIL_SUBMISSIONS_PORT ?? 465}`,
    MAIL_POSTMASTER: address,
    MAIL_DATABASE: `postgresql://mta_read:${newSecret()}@${databaseHost}${pathname}${tlsOfMail}`,
    ...(!hasCertificate && {
      MAIL_ACME_EMAIL: address,
      MAIL_ACME_HTTP_ADDRESS: proxy === 'none' && isPort80Free ? ':80' : ADDRESS_OF_CHALLENGES,
    }),
    MAIL_APP_PASSWORD: password,
    MAIL_REDIS_PASSWORD: newSecret(),
  };
  // The URL that was made of the mail server's settings follows them.
  const isSmtpUrlOurs = /^smtps:\/\/postroom:[^@/]*@127\.0\.0\.1:\d+$/.test(given.SMTP_URL ?? '');
  const follows = isSmtpUrlOurs && given.MAIL_APP_PASSWORD ? { SMTP_URL: defaults.SMTP_URL } : {};
  const changed = Object.entries({ ...asked, ...follows }).filter(
    ([name, value]) => value !== undefined && value !== given[name],
  );
  const added = Object.entries(defaults).filter(([name]) => !(name in given) && asked[name] === undefined);
  return /** @type {Record<string, string | null>} */ (Object.fromEntries([...changed, ...added]));
}

/** Returns the text of the file with these changes. Other lines stay. @param {string} text */
export function changedText(text, changes) {
  let result = text || HEADER;
  for (const [name, value] of Object.entries(changes)) {
    const line = new RegExp(`^[ \\t]*${name}[ \\t]*=.*(\\n|$)`, 'm');
    const wanted = value === null ? '' : `${name}=${OF_APP.test(name) ? quoted(value) : value}\n`;
    if (line.test(result)) result = result.replace(line, () => wanted);
    else result = `${result}${result.endsWith('\n') ? '' : '\n'}${wanted}`;
  }
  return result;
}

/** @param {string} value */
function quoted(value) {
  if (UNAMBIGUOUS.test(value)) return value;
  return value.includes("'") ? `"${value}"` : `'${value}'`;
}

/** Changes the file, which root and the app's group can read. */
export function changeSettings(changes, file = SETTINGS) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  replaceFile(file, changedText(text, changes), { mode: 0o640, owner: 'root:postroom' });
}

/** Returns the address of a mail server's postmaster if none is set: in the domain above its name. @param {string} host */
export function postmasterOf(host) {
  return `postmaster@${host.split('.').length > 2 ? host.slice(host.indexOf('.') + 1) : host}`;
}

function newSecret() {
  return randomBytes(24).toString('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2] ?? SETTINGS;
  const problems = ambiguousValues(readFileSync(file, 'utf8'), file);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
