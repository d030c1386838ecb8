import { typescriptArguments } from '../steps/typescript.mjs';

/** What Node is given to run the agent. */
export function agentArguments(root) {
  return typescriptArguments(root, 'src/agent.ts');
}
