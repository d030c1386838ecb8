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

/** Imports a TypeScript file into this process, without a build. */
export async function typescriptModule(root, script) {
  await import('../process/load-typescript.mjs');
  return import(pathToFileURL(join(root, ...script.split('/'))).href);
}
