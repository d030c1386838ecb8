import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { run } from './commands.mjs';

/**
 * Replaces a file, so that it has either the former or the whole new text, also after a loss of power. Others can't read it before it
 * has its owner and mode.
 * @param {string} path
 * @param {string} text
 * @param {{ mode: number, owner?: string }} options `owner`: user and group, such as root:postroom; else those of this process
 */
export function replaceFile(path, text, { mode, owner }) {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  if (owner) run('chown', [owner, temporary]);
  chmodSync(temporary, mode);
  renameDurably(temporary, path);
}

/** Renames a file whose content is on the disk, and waits until its new name is, too. */
export function renameDurably(from, to) {
  renameSync(from, to);
  const folder = openSync(dirname(to), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
