import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo, migrate } from '../postgres/database.mjs';

const DATABASE = 'postroom';

/**
 * Prepares a migrated database like the mail server's installer does.
 * @returns {Promise<{ app: string, mta: string }>} URLs for the app and for the mail server
 */
export async function prepareMailDatabase(root, adminUrl) {
  const app = Object.assign(new URL(adminUrl), { pathname: `/${DATABASE}` });
  await migrate(root, app.href);
  const password = randomBytes(24).toString('hex');
  const client = await connectTo(app.href);
  await client.query(readFileSync(join(root, 'deploy', 'mail', 'role.sql'), 'utf8'));
  await client.query(`ALTER ROLE mta_read LOGIN PASSWORD '${password}'`);
  await client.end();
  const mta = Object.assign(new URL(app), { username: 'mta_read', password });
  return { app: app.href, mta: mta.href };
}
