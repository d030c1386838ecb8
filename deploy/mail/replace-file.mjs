import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Replaces a file, so that it has either the former or the whole new text, also after a loss of power. Others can't read it before it
 * has its owner and mode.
 * @param {string} path
 * @param {string} text
 * @param {{ mode: number, giveTo?: (path: string) => void }} options `giveTo`: sets the owner; else the file is that of this process
 */
export function replaceFile(path, text, { mode, giveTo = () => {} }) {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  giveTo(temporary);
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
