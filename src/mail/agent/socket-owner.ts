import { readFile } from 'node:fs/promises';

const TABLE = '/proc/net/tcp';
const LOOPBACK = '0100007F';

/** The user id of the client of a connection from 127.0.0.1 to a port there; null if the client has closed it. */
export async function ownerOfConnection(clientPort: number, serverPort: number): Promise<number | null> {
  const [client, server] = [clientPort, serverPort].map(
    (port) => `${LOOPBACK}:${port.toString(16).toUpperCase().padStart(4, '0')}`,
  );
  for (const line of (await readFile(TABLE, 'utf8')).split('\n')) {
    const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/);
    if (local !== client || remote !== server) continue;
    // A closed socket belongs to nobody, and its user id is shown as 0.
    return inode === '0' ? null : Number(uid);
  }
  return null;
}
