import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { newApiKey } from '../../src/server/secrets/api-key.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { getAdmin, recordAudit, transact } from './accounts.mjs';

// As in src/modules/api-keys.
const MAX_KEYS = 1000;

/**
 * Creates an API key with all permissions.
 * @param {import('pg').Client} client
 * @param {import('./arguments.mjs').Request} request
 * @returns {Promise<string>} the key alone, so that scripts can read it
 */
export async function createApiKey(client, { name, email, domains = [], rateLimit }) {
  const { key, owner } = await transact(client, async () => {
    const admin = await ownerOf(client, email);
    const domainIds = [];
    for (const domain of domains) domainIds.push(await domainIdOf(client, admin, domain));
    const { rows: keys } = await client.query('SELECT FROM api_key WHERE admin_id = $1 LIMIT $2', [admin.id, MAX_KEYS]);
    if (keys.length === MAX_KEYS) throw new PlainError(`${admin.email} has 1,000 API keys, and can't have more.`);
    const made = newApiKey();
    const { rows } = await client.query(
      `INSERT INTO api_key (id, admin_id, name, key_prefix, key_hash, scoped_domain_ids, rate_limit)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       RETURNING id, admin_id, name, key_prefix, scoped_domain_ids, rate_limit, permissions, allowed_ips, senders, expires_at,
                 created_at`,
      [uuidv7(), admin.id, name, made.prefix, createHash('sha256').update(made.key).digest(), domainIds, rateLimit],
    );
    const after = { ...rows[0], admin_email: admin.email };
    await recordAudit(client, 'api_key.create', `api_key:${after.id}`, { before: null, after });
    return { key: made.key, owner: admin.email };
  });
  console.error(`Created the API key ${name} of ${owner}. It isn't shown again:`);
  return key;
}

async function ownerOf(client, email) {
  if (email) return getAdmin(client, email);
  const { rows } = await client.query('SELECT id, email, role FROM admin LIMIT 2');
  if (rows.length === 1) return rows[0];
  throw new PlainError(
    rows.length === 0 ? 'There is no admin yet.' : 'There are several admins. Say whose key it is with --for <email>.',
  );
}

async function domainIdOf(client, admin, name) {
  const { rows } = await client.query(
    `SELECT id, EXISTS (SELECT FROM admin_domain WHERE admin_id = $2 AND domain_id = domain.id) AS is_assigned
       FROM domain WHERE name = $1`,
    [name, admin.id],
  );
  if (rows.length === 0) throw new PlainError(`There is no domain ${name}.`);
  if (admin.role === 'domain_admin' && !rows[0].is_assigned)
    throw new PlainError(`${admin.email} has no access to the domain ${name}.`);
  return rows[0].id;
}
