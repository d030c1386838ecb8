// Keeps requests waiting while the app restarts, so that none is refused: a relay between Caddy and the app, which connects to the app
// once that listens. Run with the port of the app and the Caddyfile to use meanwhile, which names the port RELAY. It ends, and Caddy
// uses its own configuration again, when the process that started it says so, or is gone.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const HELD_MS = 120_000;
const RETRY_MS = 100;
/** How often Caddy is asked to use its own configuration again, before it is restarted. */
const RELOADS = 20;
const RELOAD_AGAIN_MS = 500;
/** How long responses of the former process may take, as in the app. */
const END_WITHIN_MS = 28_000;
const run = promisify(execFile);

const [port = '', caddyfile = ''] = process.argv.slice(2);
const relay = createServer({ allowHalfOpen: true }, (client) => dial(client, Date.now() + HELD_MS));
// The process that started this may end before Caddy uses the relay.
const isToEnd = new Promise((resolve) => {
  process.once('message', resolve);
  process.once('disconnect', resolve);
});
relay.listen(0, '127.0.0.1', async () => {
  try {
    await enterRelay();
    if (process.connected) process.send?.('ready');
    await isToEnd;
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
  }
  await end();
});

async function enterRelay() {
  const address = /** @type {import('node:net').AddressInfo} */ (relay.address());
  const folder = mkdtempSync(join(tmpdir(), 'postroom-caddy-'));
  try {
    const file = join(folder, 'Caddyfile');
    writeFileSync(file, readFileSync(caddyfile, 'utf8').replaceAll('RELAY', String(address.port)));
    await run('caddy', ['reload', '--config', file, '--adapter', 'caddyfile']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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

/** The relay passes requests on until Caddy doesn't use it any more. */
async function end() {
  await leaveRelay();
  setTimeout(() => process.exit(), END_WITHIN_MS).unref();
  relay.close(() => process.exit());
  if (process.connected) process.disconnect();
}

async function leaveRelay() {
  for (let count = 1; count <= RELOADS; count++) {
    if (await succeeds('reload')) return;
    await sleep(RELOAD_AGAIN_MS);
  }
  // A Caddy that was stopped, which can't be reloaded, stays stopped.
  if (!(await succeeds('try-restart'))) process.exitCode = 1;
}

/** @param {'reload' | 'try-restart'} verb */
function succeeds(verb) {
  return run('systemctl', [verb, 'caddy']).then(
    () => true,
    (error) => {
      console.error(`  ${error.message.trim()}`);
      return false;
    },
  );
}
