import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { RELAY_DEFAULTS, relayErrorsIn, relayValuesOf } from './relay-settings.mjs';
import { ADDRESS, checkReadable, HOST_NAME, listOf, PATH } from './setting-formats.mjs';
import { TLS_DEFAULTS, tlsErrorsIn, tlsValuesOf } from './tls-settings.mjs';
import { accessErrors, isRunByUnits } from './unit-access.mjs';

const MB = 1_048_576;
// Characters that need no escaping in any of the five configuration formats.
const PASSWORD = /^[\w.~-]{16,128}$/;
const NAME = /^[\w.-]+$/;
const SYSTEM_AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
/** Parameters that the URL of the database may have. */
const TLS_PARAMETERS = {
  sslmode: /^(disable|prefer|require|verify-ca|verify-full|no-verify)$/,
  sslrootcert: /^\/[\w./-]+$/,
};
export const PORTS = {
  SMTP_PORT: 25,
  SUBMISSION_PORT: 587,
  SUBMISSIONS_PORT: 465,
  IMAP_PORT: 143,
  IMAPS_PORT: 993,
  SIEVE_PORT: 4190,
  REDIS_PORT: 6390,
  FILTER_PORT: 10025,
  AGENT_PORT: 10026,
};
/** Values that are never shown. */
export const SECRETS = [
  'app_password',
  'redis_password',
  'database_password',
  'agent_key',
  'password_hash_nonce',
  'relay_credentials',
  'relay_password',
];
const REQUIRED = ['HOSTNAME', 'POSTMASTER', 'DATABASE', 'APP_PASSWORD', 'REDIS_PASSWORD'];
const DEFAULTS = {
  ...PORTS,
  ...TLS_DEFAULTS,
  ...RELAY_DEFAULTS,
  DATA_DIR: '/var/lib/postroom-mail',
  BIND_ADDRESSES: 'all',
  MESSAGE_SIZE_MB: 100,
  REDIS_MEMORY_MB: 512,
  NETWORK_CHECKS: 'yes',
  GREYLISTING: 'yes',
  TRUSTED_FORWARDERS: '',
  DNS_SERVERS: '',
  TLD_FILE: '',
  MAIL_UID: 5000,
};

/** All settings, by the mail server's own names. */
export const NAMES = [...REQUIRED, ...Object.keys(DEFAULTS)];
/** Settings with a password. */
export const SECRET_SETTINGS = ['DATABASE', 'APP_PASSWORD', 'REDIS_PASSWORD', 'RELAY_PASSWORD'];

/** A line of the settings file of deploy/install. */
const WHOLE_HOST = /^\s*MAIL_HOST\s*=/m;
const OF_MAIL_SERVER = new RegExp(`\\b(${NAMES.join('|')})\\b`, 'g');

/**
 * Reads a file with settings of the mail server alone, or that of deploy/install, which has those of the app, too.
 * @returns {{ values?: ReturnType<typeof valuesOf>, errors: string[] }} template values, or what is wrong with the settings
 */
export function readSettings(file) {
  const { given, errors, isWholeHost } = parse(file);
  const settings = { ...DEFAULTS, ...given };
  for (const name of REQUIRED) if (!given[name]) errors.push(`${name} is missing in ${file}.`);
  if (REQUIRED.every((name) => given[name])) errors.push(...errorsIn(settings));
  if (errors.length === 0 && isRunByUnits(file)) errors.push(...accessErrors(given));
  if (errors.length === 0) return { values: valuesOf(settings), errors };
  return { errors: isWholeHost ? errors.map((text) => text.replace(OF_MAIL_SERVER, nameOnWholeHost)) : errors };
}

export function secretsOf(values) {
  return SECRETS.map((name) => values[name]).filter((value) => value !== '');
}

// Not util.parseEnv, which cuts values at a # and says nothing of unreadable, unknown or repeated lines.
function parse(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return { given: {}, errors: [`The settings file can't be read: ${error.message}.`], isWholeHost: false };
  }
  const isWholeHost = WHOLE_HOST.test(text);
  const given = {};
  const errors = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, written, value] = /^\s*([A-Z][A-Z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const name = written && isWholeHost ? nameOnMailServer(written) : written;
    if (!written) errors.push(`Line ${index + 1} of ${file} isn't KEY=value.`);
    else if (!name) continue;
    else if (!REQUIRED.includes(name) && !(name in DEFAULTS))
      errors.push(`Unknown setting ${written} in line ${index + 1}.`);
    else if (name in given) errors.push(`${name} is set twice.`);
    else given[name] = value;
  }
  return { given, errors, isWholeHost };
}

/** The first line of a settings file that is written again at each start of a container. */
export const FROM_ENVIRONMENT = '# Written at each start from the environment of the container.';

/** @param {string} text of a settings file @param {string} name the mail server's own name @returns {string} empty if it isn't set */
export function settingIn(text, name) {
  const written = WHOLE_HOST.test(text) ? nameOnWholeHost(name) : name;
  return new RegExp(`^\\s*${written}\\s*=\\s*(.*?)\\s*$`, 'm').exec(text)?.[1] ?? '';
}

/**
 * Changes settings in the text of a settings file, and leaves everything else as it is.
 * @param {string} text
 * @param {Record<string, string | null>} values by the mail server's own names; null removes a setting
 * @returns {string}
 */
export function withSettings(text, values) {
  const isWholeHost = WHOLE_HOST.test(text);
  const left = new Map(
    Object.entries(values).map(([name, value]) => [isWholeHost ? nameOnWholeHost(name) : name, value]),
  );
  const changed = new Set(left.keys());
  const lines = text.replace(/\n*$/, '').split('\n');
  const kept = lines.flatMap((line) => {
    const name = /^\s*([A-Z][A-Z0-9_]*)\s*=/.exec(line)?.[1] ?? '';
    if (!changed.has(name)) return [line];
    const value = left.get(name) ?? null;
    left.delete(name);
    return value === null ? [] : [`${name}=${value}`];
  });
  const added = [...left].flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  return [...kept, ...added, ''].join('\n');
}

/** @returns the mail server's own name of a setting of a whole host; undefined for a setting of the app */
function nameOnMailServer(name) {
  if (name === 'MAIL_HOST') return 'HOSTNAME';
  if (name === 'MAIL_UID') return name;
  return name.startsWith('MAIL_') && name !== 'MAIL_SERVER_CONFIG' ? name.slice('MAIL_'.length) : undefined;
}

/** @param {string} name the mail server's own name of a setting */
export function nameOnWholeHost(name) {
  if (name === 'HOSTNAME') return 'MAIL_HOST';
  return name === 'MAIL_UID' ? name : `MAIL_${name}`;
}

function errorsIn(settings) {
  const errors = [];
  const check = (isValid, sentence) => isValid || errors.push(sentence);
  const checkNumber = (name, min, max) => {
    const isValid = /^\d+$/.test(settings[name]) && settings[name] >= min && settings[name] <= max;
    check(isValid, `${name} must be a whole number from ${min} to ${max}.`);
  };
  check(HOST_NAME.test(settings.HOSTNAME), 'HOSTNAME must be a full host name like mail.example.com.');
  check(ADDRESS.test(settings.POSTMASTER), 'POSTMASTER must be one email address.');
  check(
    databaseOf(settings.DATABASE),
    'DATABASE must look like postgresql://mta_read:password@host:5432/name, with letters, digits and . _ ~ - in its parts, and at most sslmode and sslrootcert after it.',
  );
  for (const name of ['APP_PASSWORD', 'REDIS_PASSWORD']) {
    check(PASSWORD.test(settings[name]), `${name} must have 16 to 128 characters from A-Z a-z 0-9 . _ ~ -.`);
    check(!settings[name].startsWith('choose-'), `${name} is still that of the example: choose another.`);
  }
  for (const name of Object.keys(PORTS)) checkNumber(name, 1, 65_535);
  const ports = Object.keys(PORTS).map((name) => Number(settings[name]));
  check(new Set(ports).size === ports.length, 'Each port must be different.');
  checkNumber('MESSAGE_SIZE_MB', 1, 1000);
  checkNumber('REDIS_MEMORY_MB', 16, 1_000_000);
  checkNumber('MAIL_UID', 100, 2_000_000_000);
  // The folder contains sockets, whose paths can have at most 107 bytes.
  const isDataDirValid = PATH.test(settings.DATA_DIR) && settings.DATA_DIR.length <= 70;
  check(isDataDirValid, 'DATA_DIR must be an absolute path of at most 70 letters, digits and . _ - @ + /.');
  const addresses = settings.BIND_ADDRESSES === 'all' ? [] : listOf(settings.BIND_ADDRESSES);
  check(
    addresses.every((address) => isIP(address)),
    'BIND_ADDRESSES must be "all", or IP addresses separated by commas.',
  );
  for (const name of ['NETWORK_CHECKS', 'GREYLISTING'])
    check(['yes', 'no'].includes(settings[name]), `${name} must be yes or no.`);
  check(
    listOf(settings.TRUSTED_FORWARDERS).every(isNetwork),
    'TRUSTED_FORWARDERS must be IP addresses or networks like 192.0.2.0/24, separated by commas.',
  );
  const areServersValid = listOf(settings.DNS_SERVERS).every((server) => /^[\d.]+(:\d+)?$/.test(server));
  check(areServersValid, 'DNS_SERVERS must be IPv4 addresses like 127.0.0.1:53, separated by commas.');
  if (settings.TLD_FILE !== '') checkReadable('TLD_FILE', settings, check);
  return [...errors, ...relayErrorsIn(settings), ...tlsErrorsIn(settings)];
}

function isNetwork(text) {
  const [address = '', prefix = '0', ...more] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function databaseOf(text) {
  try {
    const { protocol, hostname: host, port, username, password, pathname, searchParams } = new URL(text);
    const database = { host, port: port || '5432', name: pathname.slice(1), user: username, password };
    const isSafe = Object.values(database).every((part) => NAME.test(part.replaceAll('~', '-')));
    const hasSafeTls = [...searchParams].every(([name, value]) => TLS_PARAMETERS[name]?.test(value));
    return /^postgres(ql)?:$/.test(protocol) && isSafe && hasSafeTls
      ? { ...database, tls: tlsOf(searchParams) }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * TLS to Postgres as the app has it, for libpq: the certificate and the host name are verified, unless the mode says otherwise, without a file of its
 * own against the certificate authorities of the system.
 * @param {URLSearchParams} parameters of a URL of the database
 * @returns {{ sslmode?: string, sslrootcert?: string }}
 */
export function tlsOf(parameters) {
  const rootCertificate = parameters.get('sslrootcert');
  const mode = parameters.get('sslmode') ?? (rootCertificate ? 'verify-full' : null);
  if (mode === null) return {};
  if (mode === 'disable') return { sslmode: mode };
  if (mode === 'no-verify') return { sslmode: 'require' };
  return { sslmode: 'verify-full', sslrootcert: rootCertificate ?? SYSTEM_AUTHORITIES };
}

function valuesOf(settings) {
  const own = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name.toLowerCase(), value]));
  const database = databaseOf(settings.DATABASE);
  if (!database) throw new Error('errorsIn has checked DATABASE');
  const { tls, ...parts } = database;
  const tlsParameters = Object.entries(tls).map(([name, value]) => `${name}=${value}`);
  const { host, port } = parts;
  const data = settings.DATA_DIR.replace(/\/+$/, '');
  const addresses = settings.BIND_ADDRESSES === 'all' ? [] : listOf(settings.BIND_ADDRESSES);
  const hasIpv6 = addresses.length === 0 || addresses.some((address) => isIP(address) === 6);
  const servers = listOf(settings.DNS_SERVERS);
  return {
    ...own,
    data,
    ...tlsValuesOf(settings, data),
    ...Object.fromEntries(Object.entries(parts).map(([part, value]) => [`database_${part}`, value])),
    database_hosts: `inet:${host}:${port} inet:${host}:${port}`,
    database_tls: tlsParameters.join(' '),
    // Postfix's own form would write the password to its log after a failure.
    database_tls_environment: tlsParameters
      .map((parameter) => `PG${parameter.replace(/^\w+/, (name) => name.toUpperCase())}`)
      .join(' '),
    database_tls_lines: tlsParameters.map((parameter) => `    ${parameter.replace('=', ' = ')}`).join('\n'),
    postfix_interfaces: addresses.join(', ') || 'all',
    postfix_protocols: hasIpv6 ? 'all' : 'ipv4',
    // Dovecot doesn't start with an address of a protocol that the kernel doesn't have.
    dovecot_listen: addresses.join(', ') || (existsSync('/proc/net/if_inet6') ? '*, ::' : '*'),
    message_size_bytes: settings.MESSAGE_SIZE_MB * MB,
    ...relayValuesOf(settings),
    network_checks: settings.NETWORK_CHECKS === 'yes',
    greylisting: settings.GREYLISTING === 'yes',
    local_networks: ['127.0.0.0/8', '::1', ...listOf(settings.TRUSTED_FORWARDERS)]
      .map((network) => `"${network}"`)
      .join(', '),
    probe_address: addresses[0] ?? '127.0.0.1',
    agent_key: secretFor(settings, 'agent'),
    password_hash_nonce: secretFor(settings, 'password hashes'),
    rspamd_suffixes: settings.TLD_FILE === '' ? '' : `url_tld = "${settings.TLD_FILE}";`,
    rspamd_dns:
      servers.length > 0 ? `dns { nameserver = [${servers.map((server) => `"${server}"`).join(', ')}]; }` : '',
  };
}

function secretFor({ REDIS_PASSWORD }, purpose) {
  return createHmac('sha256', REDIS_PASSWORD).update(purpose).digest('hex');
}
