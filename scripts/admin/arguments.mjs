import { domainToASCII } from 'node:url';
import { parseArgs } from 'node:util';

const ROLES = ['domain_admin', 'admin', 'super_admin'];
const VERBS = { create: 'createAdmin', password: 'changePassword', 'reset-totp': 'resetTotp' };
const ACCEPT = 'accept-audit-log';
const API_KEY = 'api-key';
const MAX_EMAIL_LENGTH = 254;
// The limits of POST /api-keys.
const MAX_NAME_LENGTH = 100;
const MAX_DOMAINS = 200;
const MAX_RATE = 1_000_000;
const PLAIN_EMAIL = /^[^\s@"(),:;<>[\]\\]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/;

const USAGE = `Usage:
  npm run admin -- create <email> [--role ${ROLES.join('|')}]   make an admin (role: admin unless said)
  npm run admin -- password <email> [--revoke-api-keys]                  set a new password
  npm run admin -- reset-totp <email>                                    take a lost second factor away
  npm run admin -- ${API_KEY} <name> [--for <email>] [--domains <a,b>] [--rate-limit <n>]
                                                                         make an API key, and print it
  npm run admin -- ${ACCEPT}                                      go on from the end that the audit log has in the database
A password is asked for, or read from standard input where that is no terminal.`;

/**
 * @param {string[]} args
 * @typedef {{ verb: string, email?: string, role?: string, isRevokingKeys?: boolean, name?: string, domains?: string[],
 *   rateLimit?: number }} Request
 * @returns {{ usage: string, request?: Request }} the request, or only the usage
 */
export function readArguments(args) {
  try {
    return { usage: USAGE, request: requestOf(args) };
  } catch (error) {
    return { usage: `${error.message}\n\n${USAGE}` };
  }
}

function requestOf(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      role: { type: 'string' },
      'revoke-api-keys': { type: 'boolean' },
      for: { type: 'string' },
      domains: { type: 'string' },
      'rate-limit': { type: 'string' },
    },
  });
  const [command = '', given = '', ...rest] = positionals;
  if (command === ACCEPT) {
    if (given || Object.keys(values).length > 0) throw new Error(`"${ACCEPT}" takes nothing else.`);
    return { verb: 'acceptAuditLog' };
  }
  const { role = 'admin', 'revoke-api-keys': isRevokingKeys = false, ...ofKey } = values;
  if (values.role !== undefined && command !== 'create') throw new Error(`"${command}" takes no role.`);
  if (isRevokingKeys && command !== 'password') throw new Error(`"${command}" revokes no API keys.`);
  if (command === API_KEY) return keyRequest([given, ...rest], ofKey);
  if (!Object.hasOwn(VERBS, command)) throw new Error(command ? `Unknown command "${command}".` : 'Enter a command.');
  if (!given || rest.length > 0) throw new Error(`"${command}" takes one email address.`);
  const [surplus] = Object.keys(ofKey);
  if (surplus) throw new Error(`"${command}" takes no --${surplus}.`);
  if (!ROLES.includes(role)) throw new Error(`There is no role "${role}".`);
  return { verb: VERBS[command], email: emailOf(given), role, isRevokingKeys };
}

/**
 * @param {string[]} names
 * @param {{ for?: string, domains?: string, 'rate-limit'?: string }} options
 */
function keyRequest([name, ...rest], { for: email, domains, 'rate-limit': rate = '60' }) {
  if (!name || rest.length > 0)
    throw new Error(`"${API_KEY}" takes one name, such as the application that will use the key.`);
  if (name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
    throw new Error(`Enter a name of one line with at most ${MAX_NAME_LENGTH} characters.`);
  const names = (domains ?? '').split(',').flatMap((domain) => domain.trim() || []);
  // An empty list would be a key for all domains.
  if (domains !== undefined && names.length === 0) throw new Error('Enter at least one domain.');
  if (names.length > MAX_DOMAINS) throw new Error(`Enter at most ${MAX_DOMAINS} domains.`);
  const rateLimit = /^\d{1,7}$/.test(rate) ? Number(rate) : Number.NaN;
  if (!(rateLimit <= MAX_RATE)) throw new Error(`Enter a rate limit of 0 to ${MAX_RATE} requests per minute.`);
  return {
    verb: 'createApiKey',
    name,
    email: email === undefined ? undefined : emailOf(email),
    domains: [...new Set(names.map((domain) => domainToASCII(domain) || domain))],
    rateLimit,
  };
}

function emailOf(given) {
  const email = given.toLowerCase();
  if (!PLAIN_EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH)
    throw new Error(`"${given}" is not an email address.`);
  return email;
}
