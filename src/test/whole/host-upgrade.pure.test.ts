import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { copyRelease, isCopied, releaseOf } from '../../../deploy/host/releases.mjs';
import { isBuilt } from '../../../deploy/host/steps.mjs';
import { build, generateClient } from '../../../scripts/steps/build.mjs';

const folder = mkdtempSync(join(tmpdir(), 'postroom-upgrade-'));
const PATH = process.env.PATH ?? '';
const FS = "const fs = require('node:fs');";
const OWNER = `${process.getuid?.()}:${process.getgid?.()}`;

afterEach(() => {
  process.env.PATH = PATH;
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(root: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Puts programs before those of the host, which the scripts can call as "$REAL". */
function useInstead(programs: Record<string, string>): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/bash\nREAL=/usr/bin/${name}\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  process.env.PATH = `${bin}:${PATH}`;
  return bin;
}

describe('the copy of a release', () => {
  const lock = JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } });
  const clone = (name: string) => {
    const source = join(folder, name);
    write(source, { 'package.json': '{"version": "1.2.3"}', 'package-lock.json': lock, 'src/server/a.ts': 'a' });
    return source;
  };
  const former = clone('former');
  write(former, {
    'node_modules/.package-lock.json': lock,
    'node_modules/a/index.js': 'a',
    'node_modules/.bin/prisma': `${FS}fs.mkdirSync('src/server/prisma', { recursive: true }); fs.writeFileSync('src/server/prisma/a.ts', 'a');`,
    'node_modules/.bin/next': `${FS}fs.mkdirSync('.next'); for (const name of ['BUILD_ID', 'page.js']) fs.writeFileSync('.next/' + name, 'page');`,
  });
  beforeAll(async () => {
    await generateClient(former);
    await build(former);
  });

  it('takes over packages, client and build that are the same', () => {
    const release = releaseOf(clone('same'));
    copyRelease(release, { former, owner: OWNER });
    expect([isCopied(release), isBuilt(release.root)]).toEqual([true, true]);
    expect(readFileSync(join(release.root, '.next/page.js'), 'utf8')).toBe('page');
  });

  it.each([
    ['packages', 'node_modules'],
    ['build', '.next'],
    ['client', 'server/prisma'],
    ['program', 'full-program/src'],
  ])('that ends in the middle of the %s is none, and can be repeated', (name, copied) => {
    const release = releaseOf(clone(`full-${name}`));
    useInstead({
      cp: `[[ $2 != *${copied} ]] || { "$REAL" "$@"; find "$3" -name '*.js' -delete; echo 'No space left' >&2; exit 1; }
        exec "$REAL" "$@"`,
    });
    expect(() => copyRelease(release, { former, owner: OWNER })).toThrow('No space left');
    expect([existsSync(release.root), isCopied(release)]).toEqual([false, false]);
    process.env.PATH = PATH;
    copyRelease(release, { former, owner: OWNER });
    expect([isCopied(release), isBuilt(release.root)]).toEqual([true, true]);
    expect(readFileSync(join(release.root, 'node_modules/a/index.js'), 'utf8')).toBe('a');
  });
});
