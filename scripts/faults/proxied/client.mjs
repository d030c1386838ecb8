import { Agent, request } from 'node:https';
import { HOST_NAME } from './nginx.mjs';

const TIMEOUT_MS = 60_000;

/**
 * @typedef {{ method?: string, headers?: Record<string, string>, body?: object }} Call
 * @typedef {{ status: number, body: any }} Answer status 0 if the connection broke; a body of null if it is not JSON
 */

/**
 * Calls the API through nginx, unless `keepAlive` each call on a connection of its own, so that a broken one is the fault of no
 * other call.
 * @returns {(path: string, call?: Call) => Promise<Answer>}
 */
export function createClient({ port, cert, keepAlive = false }) {
  const agent = new Agent({ keepAlive, ca: cert, servername: HOST_NAME });
  return (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const broken = () => resolve({ status: 0, body: null });
      const sent = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          path: `/api/v1${path}`,
          method,
          timeout: TIMEOUT_MS,
          headers: { host: HOST_NAME, ...(text && { 'content-type': 'application/json' }), ...headers },
        },
        (response) => {
          response.toArray().then((chunks) => {
            resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) });
          }, broken);
        },
      );
      sent.on('error', broken);
      sent.on('timeout', () => sent.destroy());
      sent.end(text);
    });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
