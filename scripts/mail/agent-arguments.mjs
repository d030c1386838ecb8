import { typescriptArguments } from '../steps/typescript.mjs';

/** Node arguments that run the agent. */
export function agentArguments(root) {
  return typescriptArguments(root, 'src/agent/main.ts');
}
