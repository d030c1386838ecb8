import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Node arguments that run a TypeScript file without a build.
 * @returns {[string, ...string[]]}
 */
export function typescriptArguments(root, script) {
  const loader = pathToFileURL(join(root, 'scripts', 'process', 'load-typescript.mjs')).href;
  return ['--import', loader, join(root, ...script.split('/'))];
}
