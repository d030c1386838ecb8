import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';

/**
 * Keeps a second command from doing the same work in a folder, which is made if it doesn't exist.
 * @param {string} purpose
 * @param {string} folder
 * @param {string} whatIsLocked the start of the error message of the second command
 */
export async function takeLock(purpose, folder, whatIsLocked) {
  const holder = await tryToTakeLock(purpose, folder);
  if (holder) throw new PlainError(`${whatIsLocked} is in use by ${holder}: stop that one first.`);
}

/** Fails if another command holds the lock, without taking it. */
export async function requireUnlocked(purpose, folder, whatIsLocked) {
  const holder = await holderOf(socketAddress(purpose, folder));
  if (holder) throw new PlainError(`${whatIsLocked} is in use by process ${holder}: stop that one first.`);
}

/**
 * Uses a listening socket as the lock, because it ends with its process, however that is killed. On Linux it leaves no
 * file.
 * @returns {Promise<string | undefined>} the holder, if it is another process
 */
export async function tryToTakeLock(purpose, folder) {
  const address = socketAddress(purpose, folder);
  if (await listen(address)) return undefined;
  const holder = await holderOf(address);
  if (holder) return `process ${holder}`;
  if (!address.startsWith('\0')) rmSync(address, { force: true });
  return (await listen(address)) ? undefined : 'another process';
}

/** In containers that share a network, different folders have the same path. */
function identityOf(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    const { dev, ino } = statSync(folder);
    return `${dev}:${ino}`;
  } catch {
    // The command that uses the folder says why it can't.
    return folder;
  }
}

function socketAddress(purpose, folder) {
  const name = `${purpose} ${identityOf(folder)}`;
  const id = `postroom-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${id}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${id}` : join(tmpdir(), `${id}.sock`);
}

function listen(address) {
  const server = createServer((socket) => socket.end(String(process.pid)));
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(address, () => resolve(true));
  });
}

function holderOf(address) {
  return new Promise((resolve) => {
    let pid = '';
    const socket = connect(address);
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (data) => {
      pid += data;
    });
    socket.on('error', () => resolve(''));
    socket.on('close', () => resolve(pid));
  });
}
