import { v7 as uuidv7 } from 'uuid';
import { hashWithArgon2id, isCommonPassword, PASSWORD_LENGTH } from '../../src/server/secrets/password-rules.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { readPassword } from './terminal.mjs';

/** Each verb returns a sentence that reports what it did. @param {import('pg').Client} client */
export async function createAdmin(client, { email, role }) {
  if (await findAdmin(client, email)) throw alreadyThere(email);
  const passwordHash = await askForHash();
  return transact(client, async () => {
    const id = uuidv7();
    const { rowCount } = await client.query(
      `INSERT INTO admin (id, email, password_hash, role, updated_at) VALUES ($1, $2, $3, $4, now())
       ON CONFLICT (email) DO NOTHING`,
      [id, email, passwordHash, role],
    );
    if (rowCount === 0) throw alreadyThere(email);
    const after = { id, email, role, totp_enabled: false, last_login_at: null };
    await recordAudit(client, 'admin.create', `admin:${id}`, { before: null, after });
    return `Created the admin ${email} with the role ${role}.`;
  });
}

export async function changePassword(client, { email, isRevokingKeys }) {
  await getAdmin(client, email);
  const passwordHash = await askForHash();
  return transact(client, async () => {
    const { id } = await getAdmin(client, email);
    await client.query('UPDATE admin SET password_hash = $2, updated_at = now() WHERE id = $1', [id, passwordHash]);
    await endSessions(client, id);
    const revoked = isRevokingKeys ? await revokeKeys(client, id) : [];
    await recordAudit(client, 'admin.password', `admin:${id}`, {
      email,
      ...(isRevokingKeys && { revoked_api_keys: revoked }),
    });
    const keys = isRevokingKeys ? `API keys revoked: ${revoked.length}.` : 'API keys keep working.';
    const { rowCount } = await client.query('SELECT 1 FROM oidc_identity WHERE admin_id = $1', [id]);
    const identity = rowCount ? ' A linked identity still signs them in: the account page disconnects it.' : '';
    return `Password of ${email} changed. All of their sessions are signed out. ${keys}${identity}`;
  });
}

export async function resetTotp(client, { email }) {
  return transact(client, async () => {
    const { id } = await getAdmin(client, email);
    await client.query(
      `UPDATE admin SET totp_enabled = false, totp_secret = NULL, totp_last_step = NULL, updated_at = now()
       WHERE id = $1`,
      [id],
    );
    await client.query('DELETE FROM recovery_code WHERE admin_id = $1', [id]);
    await endSessions(client, id);
    await recordAudit(client, 'admin.reset_totp', `admin:${id}`, { email });
    return `Two-factor authentication of ${email} reset. All of their sessions are signed out.`;
  });
}

export async function transact(client, work) {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function findAdmin(client, email) {
  const { rows } = await client.query('SELECT id, email, role FROM admin WHERE email = $1', [email]);
  return rows[0];
}

/** @throws if there is no such admin */
export async function getAdmin(client, email) {
  const admin = await findAdmin(client, email);
  if (admin) return admin;
  throw new PlainError(`There is no admin ${email}.`);
}

function alreadyThere(email) {
  return new PlainError(`There is already an admin ${email}.`);
}

async function endSessions(client, adminId) {
  await client.query('DELETE FROM session WHERE admin_id = $1', [adminId]);
  await client.query('DELETE FROM totp_session WHERE admin_id = $1', [adminId]);
  await client.query('DELETE FROM sign_in_device WHERE admin_id = $1', [adminId]);
}

async function revokeKeys(client, adminId) {
  const { rows } = await client.query('DELETE FROM api_key WHERE admin_id = $1 RETURNING id', [adminId]);
  return rows.map(({ id }) => id);
}

export async function recordAudit(client, action, resource, details) {
  await client.query(
    `INSERT INTO audit_entry (id, action, resource, ip_address, user_agent, request_id, outcome, details)
     VALUES ($1, $2, $3, '127.0.0.1', 'command line', $4, 'success', $5)`,
    [uuidv7(), action, resource, uuidv7(), JSON.stringify({ source: 'command_line', ...details })],
  );
}

async function askForHash() {
  const password = await readPassword();
  const { min, max } = PASSWORD_LENGTH;
  if (password.length < min) throw new PlainError(`The password is too short: use at least ${min} characters.`);
  if (password.length > max) throw new PlainError(`The password is too long: use at most ${max} characters.`);
  if (isCommonPassword(password)) throw new PlainError('This password is too common: choose another.');
  return hashWithArgon2id(password);
}
