import { recordAudit, transact } from './accounts.mjs';
import { findSecretKeys, sign } from './audit-signature.mjs';

/**
 * Signs the end that the audit log has in the database, so that instances which know another one go on from there, and
 * records that.
 * @param {import('pg').Client} client
 */
export async function acceptAuditLog(client) {
  const [key] = await findSecretKeys('Set SECRET_KEY to the key of the instances.');
  return transact(client, async () => {
    const former = await placeOf(client, 'SELECT seq, hash FROM audit_head');
    const archived = await placeOf(client, 'SELECT seq, hash FROM audit_archived');
    const last =
      (await placeOf(client, 'SELECT seq, hash FROM audit_entry WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1')) ??
      archived ??
      START;
    const at = new Date();
    await store(client, 'audit_head', { ...last, signature: sign('audit head', textOf(last), key), at });
    if (archived)
      await store(client, 'audit_archived', {
        ...archived,
        signature: sign('audit archived', textOf(archived), key),
        at,
      });
    const signature = sign('audit accepted', `${textOf(last)}:${at.toISOString()}`, key);
    await store(client, 'audit_accepted', { ...last, signature, at });
    await recordAudit(client, 'audit.accept', 'audit', { accepted: last, former });
    return `Accepted the audit log as it is: it ends with entry ${last.seq}${last.hash && `, whose hash is ${last.hash}`}. Instances go on from there.`;
  });
}

const START = { seq: '0', hash: '' };
const TIMES = { audit_head: 'sealed_at', audit_archived: 'archived_at', audit_accepted: 'accepted_at' };

async function placeOf(client, query) {
  const { rows } = await client.query(`SELECT seq::text, encode(hash, 'hex') AS hash FROM (${query}) AS place`);
  return rows[0] ?? null;
}

async function store(client, table, { seq, hash, signature, at }) {
  await client.query(
    `INSERT INTO ${table} (id, seq, hash, signature, ${TIMES[table]}) VALUES (1, $1, decode($2, 'hex'), $3, $4)
     ON CONFLICT (id) DO UPDATE
       SET seq = excluded.seq, hash = excluded.hash, signature = excluded.signature, ${TIMES[table]} = excluded.${TIMES[table]}`,
    [seq, hash, signature, at],
  );
}

function textOf({ seq, hash }) {
  return `${seq}:${hash}`;
}
