import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** Makes a folder for the tests of a file, which ends with them. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-host-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

export function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Puts programs before those of the host until the test ends. The scripts can call the host's own as "$REAL". */
export function useInstead(folder: string, programs: Record<string, string>): string {
  const path = process.env.PATH;
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/bash\nREAL=/usr/bin/${name}\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  process.env.PATH = `${bin}:${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  return bin;
}
