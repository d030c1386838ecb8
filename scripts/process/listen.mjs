import { PlainError } from './plain-error.mjs';

const PORTS_TO_TRY = 100;

/**
 * Opens the port on all addresses. If the default port is in use, the next free one is opened.
 * @param {import('node:http').Server | import('node:net').Server} server
 * @param {{ port: number, isExplicit: boolean }} wish
 * @returns {Promise<number>} the port that was opened
 */
export async function listen(server, { port, isExplicit }) {
  const last = isExplicit ? port : Math.min(port + PORTS_TO_TRY, 65535);
  for (let candidate = port; candidate <= last; candidate++) {
    const error = await tryToListen(server, candidate);
    if (!error) return candidate;
    if (error.code === 'EACCES')
      throw new PlainError(`No permission to open port ${candidate}: choose a PORT above 1023.`);
    if (error.code !== 'EADDRINUSE') throw error;
  }
  throw new PlainError(
    isExplicit
      ? `Port ${port} is in use: stop the process that uses it, or set another PORT.`
      : `Ports ${port} to ${last} are all in use: set PORT to a free one.`,
  );
}

async function tryToListen(server, port) {
  const error = await listenOn(server, port, '::');
  const hasNoIpv6 = error && ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes(error.code);
  return hasNoIpv6 ? listenOn(server, port, '0.0.0.0') : error;
}

function listenOn(server, port, host) {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ port, host }, () => {
      server.removeListener('error', resolve);
      resolve(undefined);
    });
  });
}
