// The baseline of reads: node:http and pg, without authentication, limits, validation or log, with the rows and the JSON of
// the API. Run with DATABASE_URL; it writes its port to its parent.
import { createServer } from 'node:http';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

const ALIAS = `SELECT a.id, a.domain_id, d.name AS domain, a.source_local_part, a.destination, a.active, a.created_at, a.updated_at
                 FROM alias a JOIN domain d ON d.id = a.domain_id`;

const QUERIES = {
  '/aliases': { name: 'aliases', text: `${ALIAS} ORDER BY a.created_at DESC, a.id DESC LIMIT 51` },
  '/alias': { name: 'alias', text: `${ALIAS} WHERE a.id = $1` },
  '/me': { name: 'me', text: `SELECT id, email, role, totp_enabled, last_login_at FROM admin WHERE id = $1` },
};

const server = createServer(async (request, response) => {
  const [path, id] = String(request.url).split('?');
  const { rows } = await pool.query({ ...QUERIES[path], values: id ? [id] : [] });
  const data = path === '/aliases' ? rows.slice(0, 50).map(withAddress) : withAddress(rows[0]);
  const body = Buffer.from(JSON.stringify({ data, meta: { timestamp: new Date().toISOString() } }));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});

function withAddress(row) {
  return { ...row, address: `${row.source_local_part}@${row.domain}`, warnings: [] };
}

server.listen(0, '127.0.0.1', () =>
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
);
