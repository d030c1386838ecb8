// Serves the built app (or, with --dev, the sources) behind our own HTTP server (docs/contributing/decisions/0002). `npm start` runs it
// as a child process; with DATABASE_URL and SECRET_KEY set, it also runs on its own.
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings, readSettingsOfProcess, warningAbout } from '../src/server/settings/settings.mjs';
import { describeListening, describeSetup, listen } from './process/listen.mjs';
import { isPlain, PlainError } from './process/plain-error.mjs';
import { onStopSignal } from './process/stop-signal.mjs';
import { bundleForApp } from './steps/programs.mjs';

/** @typedef {import('../src/start').App} App */
/** @typedef {import('../src/server/settings/settings.mjs').Settings} Settings */

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 300_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;
const MAX_HEADER_BYTES = 32_768;
const MAX_CONNECTIONS = 5_000;
const CLOSE_TIMEOUT_MS = 3_000;

const isDev = process.argv.includes('--dev');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

main().catch((error) => {
  console.error(isPlain(error) ? error.message : error);
  process.exit(1);
});

async function main() {
  const given = readSettingsOfProcess();
  requireDatabaseAndSecret(given);
  const server = createHttpServer();
  const serveWaiting = holdRequests(server);
  const port = await listen(server, { port: given.port, host: given.host, isExplicit: Boolean(process.env.PORT) });
  const settings = settleEnvironment(given, port);

  /** @type {() => Promise<void>} */
  let close = async () => {};
  onStopSignal(async () => {
    await close();
    process.exit(0);
  });
  process.on('disconnect', () => process.exit(1));

  if (isDev) await bundleForApp(root);
  const next = await prepareNext(server, port);
  const app = await startApp();
  const staticFolder = isDev ? undefined : join(root, '.next', 'static');
  app.serve(server, { servePage: next.getRequestHandler(), staticFolder, isDev });
  close = async () => {
    await app.close();
    setTimeout(() => process.exit(0), CLOSE_TIMEOUT_MS).unref();
    await next.close();
  };
  serveWaiting();
  const { setupLink } = app;
  if (process.send) process.send({ type: 'ready', url: settings.appUrl, port, setupLink });
  else announce(settings, { port, setupLink });
  app.startTasks();
}

/**
 * @param {Settings} settings
 * @param {{ port: number, setupLink: string | null }} started
 */
function announce(settings, { port, setupLink }) {
  const warning = warningAbout(settings);
  if (warning) console.log(`Warning: ${warning}`);
  console.log(describeListening(settings, port));
  console.log(`Postroom is ready at ${settings.appUrl}`);
  if (setupLink) console.log(describeSetup(setupLink));
}

/** @param {Settings} settings */
function requireDatabaseAndSecret({ databaseUrl, secretKeys }) {
  const missing = [databaseUrl ? '' : 'DATABASE_URL', secretKeys.length > 0 ? '' : 'SECRET_KEY'].filter(Boolean);
  if (missing.length === 0) return;
  throw new PlainError(`${missing.join(' and ')} must be set: set them, or use "npm start".`);
}

function createHttpServer() {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/**
 * Keeps requests that arrive while the app starts, so that a restart costs them a moment and no error.
 * @param {import('node:http').Server} server
 * @returns a function that lets the server handle them
 */
function holdRequests(server) {
  /** @type {import('node:http').RequestListener} */
  const hold = (...exchange) => waiting.push(exchange);
  /** @type {Parameters<import('node:http').RequestListener>[]} */
  const waiting = [];
  server.on('request', hold);
  return () => {
    server.off('request', hold);
    for (const exchange of waiting) server.emit('request', ...exchange);
  };
}

/**
 * @param {Settings} given
 * @param {number} port
 */
function settleEnvironment(given, port) {
  Object.assign(process.env, { NODE_ENV: isDev ? 'development' : 'production' });
  process.env.PORT = String(port);
  process.env.APP_URL ||= `http://localhost:${port}`;
  process.env.DATA_DIR = given.dataDir;
  return readSettings(process.env);
}

/**
 * @param {import('node:http').Server} server
 * @param {number} port
 */
async function prepareNext(server, port) {
  const { default: next } = await import('next');
  // Only development uses a WebSocket. Otherwise an emitter that never emits keeps Next.js from accepting upgrades.
  const httpServer = isDev ? server : /** @type {typeof server} */ (new EventEmitter());
  const app = next({ dev: isDev, dir: root, httpServer, port });
  await app.prepare();
  return app;
}

/**
 * Starts the app from the same module of the build that Next.js loads, so both share one instance.
 * @returns {Promise<App>}
 */
async function startApp() {
  const path = join(root, '.next', isDev ? 'dev' : '', 'server', 'instrumentation.js');
  try {
    return await createRequire(import.meta.url)(path).startApp();
  } catch (error) {
    throw new PlainError(error instanceof Error ? error.message : String(error));
  }
}
