import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const LOOPBACK = /^(0100007F|00000000000000000000000001000000|0000000000000000FFFF00000100007F)$/;

/**
 * Lists who listens on TCP ports of this host.
 * @typedef {{ port: number, isLoopback: boolean, program: string, unit: string }} Listener `program` and `unit` are empty if the
 *   process can't be seen from here
 * @returns {Listener[]}
 */
export function listeners() {
  const owners = ownersOfSockets();
  return TABLES.flatMap(rowsOf)
    .filter(([, , , state]) => state === LISTENING)
    .map((row) => {
      const [address = '', port = ''] = String(row[1]).split(':');
      // Postfix's processes for connections have the socket too, and end at any moment.
      const seen = (owners.get(row[9] ?? '') ?? []).map(describe).find(({ program }) => program !== '');
      return {
        port: Number.parseInt(port, 16),
        isLoopback: LOOPBACK.test(address),
        program: seen?.program ?? '',
        unit: seen?.unit ?? '',
      };
    });
}

/** @param {string} cgroup that of a process @returns {string} its service; empty if it is none, or one of a user who is signed in */
export function unitIn(cgroup) {
  const [, unit = ''] = /([^/\n]+)\.service/.exec(cgroup) ?? [];
  return unit.startsWith('user@') ? '' : unit;
}

function rowsOf(table) {
  return textOf(table)
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
}

/** @param {string} pid */
function describe(pid) {
  return { unit: unitIn(textOf(`/proc/${pid}/cgroup`)), program: textOf(`/proc/${pid}/comm`).trim() };
}

/** @returns {Map<string, string[]>} the processes of each socket, by inode */
function ownersOfSockets() {
  const owners = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    for (const target of descriptorsOf(pid)) {
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode) owners.set(inode, [...(owners.get(inode) ?? []), pid]);
    }
  return owners;
}

/** A process may end, or close a file, meanwhile. */
function descriptorsOf(pid) {
  const folder = `/proc/${pid}/fd`;
  return orElse([], () => readdirSync(folder)).map((name) => orElse('', () => readlinkSync(`${folder}/${name}`)));
}

/** A host without IPv6 has no table for it. */
function textOf(path) {
  return orElse('', () => readFileSync(path, 'utf8'));
}

/** @template T @param {T} fallback @param {() => T} read @returns {T} what was read, if it is there */
function orElse(fallback, read) {
  try {
    return read();
  } catch {
    return fallback;
  }
}
