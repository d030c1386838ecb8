import { PlainError } from './plain-error.mjs';

const PORTS_TO_TRY = 100;

/**
 * Opens the port on `host`, or on all addresses. If the default port is in use, the next free one is opened.
 * @param {import('node:http').Server | import('node:net').Server} server
 * @param {{ port: number, isExplicit: boolean, host?: string | undefined }} wish
 * @returns {Promise<number>} the port that was opened
 */
export async function listen(server, { port, isExplicit, host }) {
  const last = isExplicit ? port : Math.min(port + PORTS_TO_TRY, 65535);
  for (let candidate = port; candidate <= last; candidate++) {
    const error = await (host ? listenOn(server, candidate, host) : listenOnAll(server, candidate));
    if (!error) return candidate;
    if (error.code === 'EACCES')
      throw new PlainError(`No permission to open port ${candidate}: choose a PORT above 1023.`);
    if (host && error.code === 'EADDRNOTAVAIL')
      throw new PlainError(`HOST (${host}) is not an address of this machine.`);
    if (error.code !== 'EADDRINUSE') throw error;
  }
  throw new PlainError(
    isExplicit
      ? `Port ${port} is in use: stop the process that uses it, or set another PORT.`
      : `Ports ${port} to ${last} are all in use: set PORT to a free one.`,
  );
}

/**
 * Says who can connect.
 * @param {{ host?: string | undefined }} settings
 * @param {number} port
 * @returns {string} one sentence
 */
export function describeListening({ host }, port) {
  if (host) return `Listening on ${host}, port ${port}.`;
  return `Listening on all addresses of this machine, port ${port}. Behind a reverse proxy on it, set HOST=127.0.0.1.`;
}

/**
 * Says where to begin. It comes last, so that nobody has to look for it.
 * @param {string} link
 */
export function describeSetup(link) {
  return `\n  Set up the first admin: ${link}\n  The link is valid for 24 hours.\n`;
}

async function listenOnAll(server, port) {
  const error = await listenOn(server, port, '::');
  const hasNoIpv6 = error && ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(error.code);
  return hasNoIpv6 ? listenOn(server, port, '0.0.0.0') : error;
}

function listenOn(server, port, host) {
  return new Promise((resolve) => {
    const end = (error) => {
      server.off('error', end);
      server.off('listening', end);
      resolve(error);
    };
    server.once('error', end);
    server.once('listening', end);
    server.listen({ port, host });
  });
}
