// Serves the built app (or, with --dev, the sources) behind our own HTTP server (docs/decisions/0002). `npm start` runs it
// as a child process; with DATABASE_URL and SECRET_KEY set, it also runs on its own.
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings, warningAbout } from '../src/server/settings/settings.mjs';
import { createHttpFront } from './http/http-front.mjs';
import { refuse, refuseUnreadable } from './http/http-refusal.mjs';
import { lingerAfter } from './http/linger.mjs';
import { listen } from './http/listen.mjs';
import { isPlain, PlainError } from './process/plain-error.mjs';
import { onStopSignal } from './process/stop-signal.mjs';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 300_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;
const MAX_HEADER_BYTES = 32_768;
const MAX_CONNECTIONS = 5_000;
const DRAIN_TIMEOUT_MS = 25_000;
const CLOSE_TIMEOUT_MS = 3_000;
const IDLE_CHECK_INTERVAL_MS = 100;

const WARM_UP_HEADER = 'x-postroom-warm-up';
const starting = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'Postroom is starting.',
  headers: { 'Retry-After': '1' },
};

const isDev = process.argv.includes('--dev');
const root = dirname(dirname(fileURLToPath(import.meta.url)));

main().catch((error) => {
  console.error(isPlain(error) ? error.message : error);
  process.exit(1);
});

async function main() {
  const given = readSettings(process.env);
  requireWhatStartMakes(given);
  const { server, serveWith } = createHttpServer();
  const port = await listen(server, { port: given.port, isExplicit: Boolean(process.env.PORT) });
  const settings = settleEnvironment(given, port);

  let app;
  let isDraining = false;
  const drain = async () => {
    if (!app) process.exit(0);
    isDraining = true;
    // Also the app's own running work, such as webhook deliveries (src/start.ts).
    await Promise.all([closeServer(server), globalThis.postroomDrain?.()]);
    setTimeout(() => process.exit(0), CLOSE_TIMEOUT_MS).unref();
    await app.close();
    process.exit(0);
  };
  onStopSignal(drain);
  process.on('disconnect', () => process.exit(1));

  app = await prepareNext(server, port);
  const handle = createHandler(settings, app.getRequestHandler(), () => isDraining);
  await warmUp(port, handle, serveWith);
  serveWith(handle);
  if (process.send) process.send({ type: 'ready', url: settings.appUrl, port });
  else announce(settings);
}

function announce(settings) {
  const warning = warningAbout(settings);
  if (warning) console.log(`Warning: ${warning}`);
  console.log(`Postroom is ready at ${settings.appUrl}`);
}

function requireWhatStartMakes({ databaseUrl, secretKeys }) {
  const missing = [databaseUrl ? '' : 'DATABASE_URL', secretKeys.length > 0 ? '' : 'SECRET_KEY'].filter(Boolean);
  if (missing.length === 0) return;
  throw new PlainError(`${missing.join(' and ')} must be set: set them, or use "npm start".`);
}

/** Responds 503 until `serveWith` is called. */
function createHttpServer() {
  let handle = (request, response) => refuse(request, response, starting);
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.on('request', (request, response) => {
    lingerAfter(request);
    handle(request, response);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', refuseUnreadable);
  server.on('connect', (_request, socket) => refuseUnreadable({ code: 'CONNECT' }, socket));
  const serveWith = (handler) => {
    handle = handler;
  };
  return { server, serveWith };
}

function settleEnvironment(given, port) {
  process.env.NODE_ENV = isDev ? 'development' : 'production';
  process.env.PORT = String(port);
  process.env.APP_URL ||= `http://localhost:${port}`;
  process.env.DATA_DIR = given.dataDir;
  return readSettings(process.env);
}

async function prepareNext(server, port) {
  const { default: next } = await import('next');
  // Only development uses a WebSocket. Otherwise an emitter that never emits keeps Next.js from accepting upgrades.
  const httpServer = isDev ? server : new EventEmitter();
  const app = next({ dev: isDev, dir: root, httpServer, port });
  await app.prepare();
  return app;
}

/** Sends the first request itself, because Next.js runs the app's start (src/instrumentation.ts) with it. */
async function warmUp(port, handle, serveWith) {
  const secret = randomUUID();
  serveWith((request, response) =>
    request.headers[WARM_UP_HEADER] === secret ? handle(request, response) : refuse(request, response, starting),
  );
  const { status } = await fetch(`http://localhost:${port}/api/v1/health`, { headers: { [WARM_UP_HEADER]: secret } });
  if (status === 500) throw new PlainError('The app did not start. The reason is above.');
}

function createHandler({ appUrl, trustedProxies }, handleWithNext, isDraining) {
  const front = createHttpFront({ appUrl, trustedProxies, isDev });
  return async (request, response) => {
    if (isDraining()) response.setHeader('Connection', 'close');
    const refusal = front.check(request);
    if (refusal) return refuse(request, response, refusal);
    front.stamp(request, response);
    try {
      await handleWithNext(request, response);
    } catch (error) {
      console.error(error);
      if (response.headersSent) response.destroy();
      else refuse(request, response, { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
    }
  };
}

/** Waits a while for requests in flight. */
function closeServer(server) {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      resolve();
    });
  });
}
