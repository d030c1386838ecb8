import { fork } from 'node:child_process';
import { afterAll } from 'vitest';
import { bundled } from '../../../scripts/steps/programs.mjs';

/**
 * Starts an instance of the app in a process of its own, on the database of the test file. Like every Node.js process, it
 * ends when a rejection is not handled.
 */
export async function startInstance(env: Record<string, string>) {
  const program = await bundled(process.cwd(), 'src/test/servers/app-process.ts');
  const child = fork(program, { execArgv: [], env: { ...process.env, ...env } });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  afterAll(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port));
    child.once('exit', (code) => reject(new Error(`the instance ended with ${code}`)));
  });
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async call(method: string, path: string, headers: Record<string, string>, body?: object) {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, ...((await response.json()) as { data?: Record<string, never> }) };
    },
  };
}
