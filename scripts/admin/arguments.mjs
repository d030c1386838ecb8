import { parseArgs } from 'node:util';

const ROLES = ['domain_admin', 'admin', 'super_admin'];
const VERBS = { create: 'createAdmin', password: 'changePassword', 'reset-totp': 'resetTotp' };
const ACCEPT = 'accept-audit-log';
const MAX_EMAIL_LENGTH = 254;
const PLAIN_EMAIL = /^[^\s@"(),:;<>[\]\\]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/;

const USAGE = `Usage:
  npm run admin -- create <email> [--role ${ROLES.join('|')}]   make an admin (role: admin unless said)
  npm run admin -- password <email> [--revoke-api-keys]                  set a new password
  npm run admin -- reset-totp <email>                                    take a lost second factor away
  npm run admin -- ${ACCEPT}                                      go on from the end that the audit log has in the database
A password is asked for, or read from standard input where that is no terminal.`;

/**
 * @param {string[]} args
 * @typedef {{ verb: string, email?: string, role?: string, isRevokingKeys?: boolean }} Request
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
    options: { role: { type: 'string' }, 'revoke-api-keys': { type: 'boolean' } },
  });
  const [name = '', given = '', ...rest] = positionals;
  if (name === ACCEPT) {
    if (given || Object.keys(values).length > 0) throw new Error(`"${ACCEPT}" takes nothing else.`);
    return { verb: 'acceptAuditLog' };
  }
  if (!Object.hasOwn(VERBS, name)) throw new Error(name ? `Unknown command "${name}".` : 'Enter a command.');
  if (!given || rest.length > 0) throw new Error(`"${name}" takes one email address.`);
  const email = given.toLowerCase();
  if (!PLAIN_EMAIL.test(email) || email.length > MAX_EMAIL_LENGTH)
    throw new Error(`"${given}" is not an email address.`);
  if (values.role !== undefined && name !== 'create') throw new Error(`"${name}" takes no role.`);
  const isRevokingKeys = values['revoke-api-keys'] ?? false;
  if (isRevokingKeys && name !== 'password') throw new Error(`"${name}" revokes no API keys.`);
  const role = values.role ?? 'admin';
  if (!ROLES.includes(role)) throw new Error(`There is no role "${role}".`);
  return { verb: VERBS[name], email, role, isRevokingKeys };
}
