import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What Node is given to run a script in TypeScript, which is not built. */
export function typescriptArguments(root, script) {
  const loader = pathToFileURL(join(root, 'scripts', 'process', 'load-typescript.mjs')).href;
  return ['--import', loader, join(root, ...script.split('/'))];
}
