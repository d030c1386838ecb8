import { spawn } from 'node:child_process';
import { PlainError } from '../process/plain-error.mjs';
import { bundled } from '../steps/programs.mjs';
import { stopChild } from '../steps/run-tool.mjs';

const END_WITHIN_MS = 10_000;

/** Starts the stand-in for the mail server and its agent. @param {import('../process/lifetime.mjs').Lifetime} lifetime */
export async function startDemoAgent(lifetime, root) {
  const child = spawn(process.execPath, [await bundled(root, 'src/demo/agent.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  lifetime.atEnd(() => stopChild(child, END_WITHIN_MS));
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const problem = new PlainError(`The mail server of the demo stopped (${signal ?? `exit code ${code}`}).`);
      reject(problem);
      if (!lifetime.isEnding()) console.error(`${problem.message} The queue page is empty without it.`);
    });
  });
}
