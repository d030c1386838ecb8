import { readFileSync } from 'node:fs';

// Without characters that need escaping in any of the configuration formats.
export const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/i;
export const ADDRESS = /^[\w.+-]+@[a-z0-9.-]+$/i;
export const PATH = /^\/[\w./@+-]+$/;

/** @returns {string[]} the parts of a list separated by commas */
export function listOf(text) {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

/**
 * @param {(isValid: boolean, sentence: string) => unknown} check
 * @returns the file's content if it can be read
 */
export function checkReadable(name, settings, check) {
  try {
    const content = readFileSync(settings[name]);
    check(PATH.test(settings[name]), `${name} must be an absolute path of letters, digits and . _ - @ + /.`);
    return content;
  } catch (error) {
    check(false, `${name} can't be read: ${error.message}.`);
    return undefined;
  }
}
