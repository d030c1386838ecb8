import { readFileSync } from 'node:fs';
import { PlainError } from '../process/plain-error.mjs';

/**
 * The commands below a heading of a page.
 * @param {string} page path of a Markdown file
 * @param {string} heading
 * @param {string} start how the block of code begins
 */
export function documentedCommands(page, heading, start) {
  const section = readFileSync(page, 'utf8')
    .split(/^#+ /m)
    .find((text) => text.startsWith(`${heading}\n`));
  const blocks = [...(section ?? '').matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)];
  const found = blocks.map(([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
  const commands = found.find((code) => code.startsWith(start));
  if (!commands) throw new PlainError(`${page} has no commands that start with "${start}" below "${heading}".`);
  return commands;
}
