// Keeps requests waiting while the app restarts, so that none is refused: a relay between Caddy and the app, which connects to the app
// once that listens. Run with the port of the app and the Caddyfile to use meanwhile, which names the port RELAY. It ends, and Caddy
// uses its own configuration again, when the process that started it says so, or is gone.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const HELD_MS = 120_000;
const RETRY_MS = 100;
/** How long responses of the former process may take, as in the app. */
const END_WITHIN_MS = 28_000;
const run = promisify(execFile);

const [port = '', caddyfile = ''] = process.argv.slice(2);
const relay = createServer({ allowHalfOpen: true }, (client) => dial(client, Date.now() + HELD_MS));
relay.listen(0, '127.0.0.1', async () => {
  const address = /** @type {import('node:net').AddressInfo} */ (relay.address());
  const folder = mkdtempSync(join(tmpdir(), 'postroom-caddy-'));
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, readFileSync(caddyfile, 'utf8').replaceAll('RELAY', String(address.port)));
  await run('caddy', ['reload', '--config', file, '--adapter', 'caddyfile']);
  rmSync(folder, { recursive: true });
  process.once('message', end);
  process.once('disconnect', end);
  process.send?.('ready');
});

/** Connects only where nothing was sent yet, so that no request is carried out twice. */
function dial(client, until) {
  const app = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
  let isConnected = false;
  app.once('connect', () => {
    isConnected = true;
    client.pipe(app).pipe(client);
  });
  app.on('error', () => {
    if (isConnected || client.destroyed || Date.now() > until) client.destroy();
    else setTimeout(dial, RETRY_MS, client, until);
  });
  client.removeAllListeners('error').on('error', () => app.destroy());
}

async function end() {
  process.removeAllListeners('disconnect');
  await run('systemctl', ['reload', 'caddy']);
  setTimeout(() => process.exit(0), END_WITHIN_MS).unref();
  relay.close(() => process.exit(0));
  if (process.connected) process.disconnect();
}
