import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildApp, isBuilt } from '../../../../deploy/host/build.mjs';
import { copyRelease, isCopied, nameOf, releaseOf, runningFolder } from '../../../../deploy/host/releases.mjs';
import { build, generateClient } from '../../../../scripts/steps/build.mjs';
import { PROGRAMS } from '../../../../scripts/steps/programs.mjs';
import { makeFolder, useInstead, write } from './programs';

const folder = makeFolder();
const FS = "const fs = require('node:fs');";
const OWNER = `${process.getuid?.()}:${process.getgid?.()}`;

describe('releases', () => {
  const source = mkdtempSync(join(folder, 'clone-'));
  write(source, {
    'package.json': '{"version": "1.2.3"}',
    'src/a.ts': 'a',
    'docs/a.md': 'a',
    '.git/HEAD': 'a',
    'deploy/containers/.env': 'a',
    'src/server/prisma/client.ts': 'a',
  });
  const { root } = releaseOf(source);

  it('are named after version and content, and are their own', () => {
    expect(root).toMatch(new RegExp(`^${source}/releases/1\\.2\\.3-[0-9a-f]{10}$`));
    expect(nameOf(root)).toMatch(/^1\.2\.3 \([0-9a-f]{10}\)$/);
    expect(releaseOf(root)).toEqual({ source: root, root });
  });

  it.each(['.git/HEAD', 'deploy/containers/.env', 'src/server/prisma/client.ts'])('don’t depend on %s', (name) => {
    writeFileSync(join(source, name), 'b');
    expect(releaseOf(source).root).toBe(root);
  });

  it.each(['src/a.ts', 'docs/a.md', 'package.json'])('are others after a change of %s', (name) => {
    const before = releaseOf(source).root;
    appendFileSync(join(source, name), '\n');
    expect(releaseOf(source).root).not.toBe(before);
  });

  it('know the folder that the service runs in', () => {
    write(folder, { unit: '[Service]\nUser=postroom\nWorkingDirectory=/opt/postroom/releases/0.1.0-0123456789\n' });
    expect(runningFolder(join(folder, 'unit'))).toBe('/opt/postroom/releases/0.1.0-0123456789');
    expect(runningFolder(join(folder, 'nothing'))).toBeNull();
  });
});

describe('the copy of a release', () => {
  const lock = JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } });
  const clone = (name: string) => {
    const source = join(folder, name);
    const files = { 'package.json': '{"version": "1.2.3"}', 'package-lock.json': lock, 'tsconfig.json': '{}' };
    const sources = [...PROGRAMS, 'src/server/a.ts', 'scripts/steps/programs.mjs'];
    write(source, { ...files, ...Object.fromEntries(sources.map((path) => [path, "'a'"])) });
    return source;
  };
  const former = clone('former');
  write(former, {
    'node_modules/.package-lock.json': lock,
    'node_modules/a/index.js': 'a',
    'node_modules/.bin/prisma': `${FS}fs.mkdirSync('src/server/prisma', { recursive: true }); fs.writeFileSync('src/server/prisma/a.ts', 'a');`,
    'node_modules/.bin/next': `${FS}fs.mkdirSync('.next/static', { recursive: true }); for (const name of ['BUILD_ID', 'page.js']) fs.writeFileSync('.next/' + name, 'page');`,
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
    const program = 'node_modules/.cache/postroom/programs/agent-main.mjs';
    expect(readFileSync(join(release.root, program))).toEqual(readFileSync(join(former, program)));
  });

  it.each([
    ['packages', 'node_modules'],
    ['build', '.next'],
    ['client', 'server/prisma'],
    ['program', 'full-program/src'],
  ])('that ends in the middle of the %s is none, and can be repeated', (name, copied) => {
    const release = releaseOf(clone(`full-${name}`));
    const path = process.env.PATH;
    useInstead(folder, {
      cp: `[[ $2 != *${copied} ]] || { "$REAL" "$@"; find "$3" -name '*.js' -delete; echo 'No space left' >&2; exit 1; }
        exec "$REAL" "$@"`,
    });
    expect(() => copyRelease(release, { former, owner: OWNER })).toThrow('No space left');
    expect([existsSync(release.root), isCopied(release)]).toEqual([false, false]);
    process.env.PATH = path;
    copyRelease(release, { former, owner: OWNER });
    expect([isCopied(release), isBuilt(release.root)]).toEqual([true, true]);
    expect(readFileSync(join(release.root, 'node_modules/a/index.js'), 'utf8')).toBe('a');
  });
});

describe('a build that ends', () => {
  const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');

  it.each([
    ['by a kill goes on', BOOT, true],
    ['by a loss of power, which empties files that look whole, starts over', 'another boot\n', false],
  ])('%s', (_, boot, isKept) => {
    const root = mkdtempSync(join(folder, 'release-'));
    write(root, { 'package.json': '{"version": "1.2.3"}', 'node_modules/a/index.js': '', '.building': boot });
    useInstead(folder, { npm: 'mkdir -p .next && cp .building .next/of-boot' });
    buildApp({ source: root, root });
    expect(existsSync(join(root, 'node_modules/a/index.js'))).toBe(isKept);
    expect(readFileSync(join(root, '.next/of-boot'), 'utf8')).toBe(BOOT);
    expect(existsSync(join(root, '.building'))).toBe(false);
  });

  it('because memory ran out says so, and how to add swap', () => {
    const root = mkdtempSync(join(folder, 'release-'));
    const counters = join(root, 'vmstat');
    write(root, { 'package.json': '{"version": "1.2.3"}', vmstat: 'pgfault 7\noom_kill 1\n' });
    const host = { source: root, root };
    useInstead(folder, { npm: 'exit 1' });
    expect(() => buildApp(host, counters)).toThrow(/^The build failed\./);
    useInstead(folder, { npm: 'cat /proc/self/oom_score_adj >score; echo oom_kill 2 >vmstat; exit 137' });
    expect(() => buildApp(host, counters)).toThrow(/^The memory of this host ran out, .* Add swap, .*: fallocate /);
    expect(readFileSync(join(root, 'score'), 'utf8')).toBe('1000\n');
  });
});
