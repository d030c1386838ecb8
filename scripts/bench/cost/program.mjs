import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A program of this folder as a process of its own, that ends with the command. */
export function start(lifetime, script, args = [], env = {}) {
  const child = fork(script, args, { env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  lifetime.atEnd(() => {
    child.kill('SIGTERM');
    return ended;
  });
  return child;
}

/** The port that it sends once it listens. */
export async function portOf(child) {
  const [port] = await once(child, 'message');
  return port;
}
