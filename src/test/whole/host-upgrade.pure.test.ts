import { fork, spawn } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildApp, isBuilt } from '../../../deploy/host/build.mjs';
import { dumpVersionProblems } from '../../../deploy/host/database.mjs';
import { writeDump } from '../../../deploy/host/dumps.mjs';
import { replaceFile } from '../../../deploy/host/files.mjs';
import { copyRelease, isCopied, releaseOf } from '../../../deploy/host/releases.mjs';
import { spaceProblems } from '../../../deploy/host/upgrade-checks.mjs';
import { addChanges, changesBack, readUpgradeState, writeUpgradeState } from '../../../deploy/host/upgrade-state.mjs';
import { makeCertificate } from '../../../deploy/mail/certificate.mjs';
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

describe('a build that was interrupted', () => {
  const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');

  it.each([
    ['goes on after a kill', BOOT, true],
    ['starts over after a loss of power, which empties files that look whole', 'another boot\n', false],
  ])('%s', (_, boot, isKept) => {
    const root = mkdtempSync(join(folder, 'release-'));
    write(root, { 'package.json': '{"version": "1.2.3"}', 'node_modules/a/index.js': '', '.building': boot });
    useInstead({ npm: 'mkdir -p .next && cp .building .next/of-boot' });
    buildApp({ source: root, root, options: { mode: 'install', isUpgrade: false } });
    expect(existsSync(join(root, 'node_modules/a/index.js'))).toBe(isKept);
    expect(readFileSync(join(root, '.next/of-boot'), 'utf8')).toBe(BOOT);
    expect(existsSync(join(root, '.building'))).toBe(false);
  });
});

describe('the first certificate of a mail server', () => {
  it('replaces a key that a crash left empty, and keeps any other', () => {
    const files = { tls_key: join(folder, 'key.pem'), tls_certificate: join(folder, 'certificate.pem') };
    writeFileSync(files.tls_key, '');
    makeCertificate({ ...files, hostname: 'mail.example.com' });
    const key = readFileSync(files.tls_key, 'utf8');
    expect(statSync(files.tls_key).mode & 0o777).toBe(0o600);
    rmSync(files.tls_certificate);
    makeCertificate({ ...files, hostname: 'mail.example.com' });
    expect(readFileSync(files.tls_key, 'utf8')).toBe(key);
    expect(new X509Certificate(readFileSync(files.tls_certificate)).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });
});

describe('the state of an upgrade', () => {
  const state = join(folder, 'upgrade.json');
  const read = (running: string | null = '/opt/postroom/releases/running') =>
    readUpgradeState({ file: state, running: () => running });

  it('is known to the next run', () => {
    expect(read()).toBeNull();
    writeUpgradeState({ from: folder, dump: '/a.dump' }, state);
    expect(read()).toEqual({ from: folder, dump: '/a.dump' });
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(existsSync(`${state}.new`)).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['half of it', '{"from": "/opt'],
    ['another value', 'null'],
    ['no folder', '{}'],
    ['a folder that is gone', '{"from": "/opt/gone"}'],
  ])('is that of an interrupted upgrade of what runs, with %s in the file', (_, text) => {
    writeFileSync(state, text);
    expect(read()).toEqual({ from: '/opt/postroom/releases/running', isLost: true });
    expect(read(null)).toEqual({ from: '', isLost: true });
  });

  it('stays as it was if it can’t be written', () => {
    writeUpgradeState({ from: folder }, state);
    useInstead({ chown: 'exit 1' });
    expect(() => replaceFile(state, 'other', { mode: 0o600, owner: '0:0' })).toThrow(/chown failed/);
    expect(read()).toEqual({ from: folder });
  });
});

describe('settings that an upgrade changed', () => {
  const changed = addChanges({ URL: 'old' }, { URL: 'new', ADDED: 'a' });

  it('go back, and those that somebody changed meanwhile stay', () => {
    expect(changesBack({ URL: 'new', ADDED: 'a', RELAY: 'r' }, changed)).toEqual({ URL: 'old', ADDED: null });
    expect(changesBack({ URL: 'own', ADDED: 'a' }, changed)).toEqual({ ADDED: null });
    expect(changesBack({ URL: 'own' }, undefined)).toEqual({});
  });

  it('go back to what they were before the first of several runs', () => {
    const again = addChanges({ URL: 'new', ADDED: 'a' }, { URL: 'newer', MORE: 'm' }, changed);
    expect(changesBack({ URL: 'newer', ADDED: 'a', MORE: 'm' }, again)).toEqual({
      URL: 'old',
      ADDED: null,
      MORE: null,
    });
  });
});

describe('the copy of the database', () => {
  const url = 'postgresql://postroom:secret@127.0.0.1:5432/postroom';
  const writeThree = (dumps: string) => {
    for (const day of [1, 2, 3]) writeFileSync(join(dumps, `2026-01-0${day}T00-00-00Z-0.1.0.dump`), 'whole');
    writeFileSync(join(dumps, '2026-01-04T00-00-00Z-0.1.0.dump.part'), 'part of a run that was killed');
  };
  const now = new Date('2026-01-05T00:00:00Z');

  it('replaces the oldest of three', () => {
    const dumps = mkdtempSync(join(folder, 'dumps-'));
    writeThree(dumps);
    useInstead({ pg_dump: 'echo whole >"$3"' });
    const file = writeDump(url, '0.2.0', { folder: dumps, now });
    expect(file).toBe(join(dumps, '2026-01-05T00-00-00Z-0.2.0.dump'));
    expect(readdirSync(dumps).toSorted()).toEqual([
      '2026-01-02T00-00-00Z-0.1.0.dump',
      '2026-01-03T00-00-00Z-0.1.0.dump',
      '2026-01-05T00-00-00Z-0.2.0.dump',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing of itself, and the others, if the disk is full', () => {
    const dumps = mkdtempSync(join(folder, 'dumps-'));
    writeThree(dumps);
    useInstead({ pg_dump: 'echo half >"$3"; echo "No space left" >&2; exit 1' });
    expect(() => writeDump(url, '0.2.0', { folder: dumps, now })).toThrow('No space left');
    expect(readdirSync(dumps).toSorted()).toEqual([1, 2, 3].map((day) => `2026-01-0${day}T00-00-00Z-0.1.0.dump`));
  });

  it.each([
    [{ freeMb: 1500, databaseMb: 1000, isBuildThere: false }, []],
    [
      { freeMb: 1499, databaseMb: 1000, isBuildThere: false },
      [/^The upgrade needs 1500 MB .* and 1499 MB are free\.$/],
    ],
    [
      { freeMb: 4999, databaseMb: 1000, isBuildThere: true },
      [/^The upgrade needs 5000 MB .* and the build, and 4999 MB/],
    ],
  ])('needs room for what is written meanwhile: %j', (facts, sentences) => {
    expect(spaceProblems(facts)).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)));
  });
});

describe('a database that pg_dump of the host', () => {
  it.each([
    ['can copy has no problem', 150_014, []],
    ['is too old for is named before the upgrade', 170_002, [expect.stringMatching(/Install postgresql-client-17\.$/)]],
  ])('%s', (_, version, problems) => {
    useInstead({ pg_dump: "echo 'pg_dump (PostgreSQL) 15.14'", psql: `cat >/dev/null; echo ${version}` });
    expect(dumpVersionProblems('postgresql://a:b@127.0.0.1/c')).toEqual(problems);
  });
});

describe('an upgrade that is asked to stop', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('stops when it wants to, and its output is complete: %s', async (signal) => {
    const log = join(folder, `${signal}.log`);
    const script = `const { deferSignals } = await import('${process.cwd()}/deploy/host/stop-request.mjs');
      const { spawnSync } = await import('node:child_process');
      const signalSoFar = deferSignals();
      console.log('begins');
      const { signal, status } = spawnSync('bash', ['-c', 'until [[ -e ${folder}/${signal}.go ]]; do sleep 0.05; done; echo done'], { stdio: 'inherit' });
      console.log('part:', signal, status);
      console.log('stopped by', await signalSoFar());
      process.exitCode = 3;`;
    const run = spawn('bash', ['deploy/host/run-logged', log, process.execPath, '--input-type=module', '-e', script], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    run.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    const ended = once(run, 'close');
    await expect.poll(() => output).toContain('begins');
    // A terminal sends it to the whole group of processes.
    process.kill(-Number(run.pid), signal);
    await expect.poll(() => output).toContain('Stopping: what runs now finishes first.');
    writeFileSync(join(folder, `${signal}.go`), '');
    expect((await ended)[0]).toBe(3);
    expect(output).toMatch(/done\npart: null 0\nstopped by SIGTERM\n$/);
    expect(readFileSync(log, 'utf8')).toBe(output);
  });
});

describe('the relay that holds requests back', () => {
  /** Caddy waits for the file `go`, and systemctl fails as often as the file `failures` has lines. Both say how they were called. */
  const start = (failures: string[]) => {
    const bin = useInstead({
      caddy: 'cd "$(dirname "$0")"; echo "caddy $1" >>calls; until [[ -e go ]]; do sleep 0.05; done',
      systemctl:
        'cd "$(dirname "$0")"; echo "systemctl $*" >>calls; [[ ! -s failures ]] || { sed -i 1d failures; exit 1; }',
    });
    write(bin, { failures: failures.join('\n'), calls: '', Caddyfile: 'reverse_proxy 127.0.0.1:RELAY' });
    const relay = fork('deploy/host/hold-requests.mjs', ['1', join(bin, 'Caddyfile')], { silent: true });
    return {
      relay,
      ended: once(relay, 'exit'),
      bin,
      calls: () => readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n'),
    };
  };

  it('lets Caddy leave it if the upgrade is killed before Caddy uses it', async () => {
    const { relay, ended, bin, calls } = start([]);
    await expect.poll(calls).toEqual(['caddy reload']);
    relay.disconnect();
    writeFileSync(join(bin, 'go'), '');
    expect(await ended).toEqual([0, null]);
    expect(calls()).toEqual(['caddy reload', 'systemctl reload caddy']);
  });

  it('tries again if Caddy can’t be reloaded, and serves it meanwhile', async () => {
    const { relay, ended, bin, calls } = start(['first', 'second', '']);
    writeFileSync(join(bin, 'go'), '');
    expect((await once(relay, 'message'))[0]).toBe('ready');
    relay.send('end');
    expect(await ended).toEqual([0, null]);
    expect(calls().slice(1)).toEqual(Array(3).fill('systemctl reload caddy'));
  });
});
