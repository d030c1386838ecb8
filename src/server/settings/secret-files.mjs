import { readFileSync } from 'node:fs';

/**
 * Reads secrets from files, as containers get them: NAME_FILE names the file that has NAME, without the end of its line. Each is in the
 * environment as NAME afterwards.
 * @param {Record<string, string | undefined>} env
 * @param {readonly string[]} names those that can be in a file
 * @returns {string[]} what is wrong, a sentence each
 */
export function readSecretFiles(env, names) {
  return names.flatMap((name) => {
    const path = env[`${name}_FILE`];
    if (!path) return [];
    if (env[name]) return [`Set ${name} or ${name}_FILE, not both.`];
    try {
      env[name] = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      return [`${name}_FILE can't be read: ${error instanceof Error ? error.message : error}.`];
    }
    if (!env[name]) return [`${name}_FILE names an empty file: ${path}.`];
    // Child processes get the secret.
    delete env[`${name}_FILE`];
    return [];
  });
}
