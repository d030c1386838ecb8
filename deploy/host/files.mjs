import { replaceFile as replace } from '../mail/replace-file.mjs';
import { run } from './commands.mjs';

/**
 * Replaces a file whole, also if the power is lost.
 * @param {string} path
 * @param {string} text
 * @param {{ mode: number, owner?: string }} options `owner`: user and group, such as root:postroom; else those of this process
 */
export function replaceFile(path, text, { mode, owner }) {
  replace(path, text, { mode, giveTo: owner ? (file) => void run('chown', [owner, file]) : undefined });
}
