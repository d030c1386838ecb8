import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { ADDRESS, HOST_NAME, PATH } from '../mail/setting-formats.mjs';

export const USAGE = `Usage: sudo deploy/install HOST_NAME [OPTION…]
       sudo deploy/install --upgrade [--dry-run] | --check | --remove

Makes this host a mail server with Postroom. HOST_NAME is its full name, such as mail.example.com. Run it again to apply changed
settings, or after it was interrupted: it goes on where it stopped, and leaves alone what is done.

  --console NAME        host name of the console, by default HOST_NAME
  --email ADDRESS       gets mail to postmaster@ and abuse@, and notices about certificates; by default postmaster@ the domain
  --proxy caddy|none    none: a reverse proxy of yours serves ports 80 and 443 (docs/installation.md)
  --certificate FILE    your own certificate with its chain (PEM), instead of one from Let's Encrypt
  --key FILE            and its key
  --acme-server URL     another ACME server than Let's Encrypt
  --acme-ca FILE        and the certificates to trust it with (PEM)
  --upgrade             replaces the version that runs by that in this folder, or keeps it if anything fails (docs/installation.md)
  --dry-run             says what would be done, and changes nothing
  --check               says what is wrong with the host, its DNS records and its ports, and changes nothing
  --remove              removes the services. Mail, database, settings and packages stay
  --help

Options are kept in /etc/postroom/settings, with all other settings. You can write that file before the first run.`;

/** @type {Record<string, [RegExp, string]>} */
const KINDS = {
  console: [HOST_NAME, 'a full host name such as console.example.com'],
  email: [ADDRESS, 'one email address'],
  proxy: [/^(caddy|none)$/, 'caddy or none'],
  certificate: [PATH, 'an absolute path'],
  key: [PATH, 'an absolute path'],
  'acme-server': [/^https:\/\/[\w.-]+(:\d+)?(\/[\w./-]*)?$/, 'the https URL of an ACME directory'],
  'acme-ca': [PATH, 'an absolute path'],
};
const FLAGS = /** @type {const} */ (['dry-run', 'check', 'remove', 'help', 'upgrade']);

/**
 * @typedef {{
 *   host?: string, console?: string, email?: string, proxy?: string, certificate?: string, key?: string,
 *   'acme-server'?: string, 'acme-ca'?: string, mode: 'install' | typeof FLAGS[number], isUpgrade: boolean,
 * }} Options `isUpgrade` tells what a dry run is about
 * @param {string[]} args
 * @returns {Options}
 * @throws PlainError that names the wrong option
 */
export function readOptions(args) {
  const { values, positionals } = parse(args);
  if (positionals.length > 1)
    throw new PlainError(`Name one host, not ${positionals.length}: ${positionals.join(' ')}`);
  const [host] = positionals;
  if (host !== undefined && (!HOST_NAME.test(host) || isIP(host)))
    throw new PlainError(
      `${host} isn't a full host name. Other mail servers need one with a domain, such as mail.example.com.`,
    );
  for (const [name, [format, description]] of Object.entries(KINDS)) {
    const value = values[name];
    if (value !== undefined && !format.test(value)) throw new PlainError(`--${name} must be ${description}.`);
  }
  if (!values.certificate !== !values.key) throw new PlainError('--certificate and --key go together.');
  if (values.certificate && values['acme-server'])
    throw new PlainError('Use --certificate, or --acme-server to get one, not both.');
  const modes = FLAGS.filter((name) => values[name]);
  const isUpgrade = Boolean(values.upgrade);
  if (modes.length > 1 && modes.join() !== 'dry-run,upgrade')
    throw new PlainError(`Use one of --${modes.join(' and --')}.`);
  const changes = [host, ...Object.keys(KINDS).map((name) => values[name])].filter(Boolean);
  if (isUpgrade && changes.length > 0)
    throw new PlainError('--upgrade changes no settings: leave out the name of the host and other options.');
  return { ...values, host: host?.toLowerCase(), mode: modes[0] ?? 'install', isUpgrade };
}

function parse(args) {
  const texts = Object.keys(KINDS).map((name) => [name, { type: /** @type {const} */ ('string') }]);
  const flags = FLAGS.map((name) => [name, { type: /** @type {const} */ ('boolean') }]);
  try {
    const { values, positionals } = parseArgs({
      args,
      options: Object.fromEntries([...texts, ...flags]),
      allowPositionals: true,
    });
    return { values: /** @type {Record<string, any>} */ (values), positionals };
  } catch (error) {
    throw new PlainError(`${error.message}\n\n${USAGE}`);
  }
}
