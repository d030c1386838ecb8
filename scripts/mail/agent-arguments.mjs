import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What Node is given to run the agent, which is not built. */
export function agentArguments(root) {
  const loader = pathToFileURL(join(root, 'scripts', 'process', 'load-typescript.mjs')).href;
  return ['--import', loader, join(root, 'src', 'agent.ts')];
}
