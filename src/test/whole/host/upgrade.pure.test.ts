import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dumpVersionProblems } from '../../../../deploy/host/database.mjs';
import { writeDump } from '../../../../deploy/host/dumps.mjs';
import { replaceFile } from '../../../../deploy/host/files.mjs';
import { spaceProblems } from '../../../../deploy/host/upgrade-checks.mjs';
import {
  addChanges,
  changesBack,
  readUpgradeState,
  writeUpgradeState,
} from '../../../../deploy/host/upgrade-state.mjs';
import { makeFolder, useInstead, write } from './programs';

const folder = makeFolder();

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
    useInstead(folder, { chown: 'exit 1' });
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
    useInstead(folder, { pg_dump: 'echo whole >"$3"' });
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
    useInstead(folder, { pg_dump: 'echo half >"$3"; echo "No space left" >&2; exit 1' });
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
    useInstead(folder, { pg_dump: "echo 'pg_dump (PostgreSQL) 15.14'", psql: `cat >/dev/null; echo ${version}` });
    expect(dumpVersionProblems('postgresql://a:b@127.0.0.1/c')).toEqual(problems);
  });
});

describe('the relay that holds requests back', () => {
  /** Caddy waits for the file `go`, and systemctl fails as often as the file `failures` has lines. Both say how they were called. */
  const start = (failures: string[]) => {
    const bin = useInstead(folder, {
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
