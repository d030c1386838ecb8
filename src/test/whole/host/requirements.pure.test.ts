import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listeners, unitIn } from '../../../../deploy/host/listeners.mjs';
import { type Facts, foreignFolder, isReplaced, problemsIn } from '../../../../deploy/host/requirements.mjs';
import { countMessages, transportAgents } from '../../../../deploy/mail/former-mail-server.mjs';
import { makeFolder, write } from './programs';

const folder = makeFolder();

describe('requirements of an installation', () => {
  const nothing = { queues: [], services: [], packages: [] };
  const bare: Facts = {
    root: '/opt/postroom',
    node: '/usr/bin/node',
    foreignFolder: null,
    hasSystemd: true,
    memoryMb: 4000,
    diskMb: 20_000,
    otherDisks: [{ folder: '/var', freeMb: 2000, neededMb: 800 }],
    isBuilt: false,
    listeners: [],
    ports: [25, 465, 80, 443],
    proxy: 'caddy',
    foreignCaddyfile: null,
    idleWebServers: [],
    isKeyLost: false,
    isRoleTaken: false,
    formerMailServer: nothing,
  };
  const listener = (port: number, unit: string, isLoopback = false) => ({ port, isLoopback, program: unit, unit });

  it('are met by a bare host, and by one that is installed', () => {
    expect(problemsIn(bare)).toEqual([]);
    const own = [listener(25, 'postroom-mail-postfix'), listener(443, 'caddy'), listener(22, 'ssh')];
    expect(problemsIn({ ...bare, isBuilt: true, memoryMb: 900, diskMb: 100, listeners: own })).toEqual([]);
  });

  it.each([
    [{ hasSystemd: false }, /^This host isn't run by systemd/],
    [{ root: '/root/postroom' }, /^Postroom is in \/root\/postroom, where its service has no access/],
    [{ root: '/home/ann/postroom' }, /Move the folder to \/opt\/postroom/],
    [{ foreignFolder: '/opt' }, /another user can change the folder \/opt\. Give it to root/],
    [
      { isKeyLost: true },
      /^The database has accounts of Postroom, .* no SECRET_KEY.* Restore that file from a backup\./,
    ],
    [{ isRoleTaken: true }, /^Another program uses the role .* dropuser postroom\. Otherwise name another one/],
    [
      { idleWebServers: ['nginx'] },
      /^nginx starts when this host does, .* systemctl disable nginx\. Or .* --proxy none/,
    ],
    [{ memoryMb: 985 }, /^The build needs 2 GB of memory, and this host has 985 MB with swap\. Add swap/],
    [{ diskMb: 1500 }, /1500 MB are free/],
    [{ otherDisks: [{ folder: '/var', freeMb: 300, neededMb: 800 }] }, /needs 800 MB on the disk of \/var, and 300 MB/],
    [{ listeners: [listener(80, 'apache2')] }, /^Port 80 is in use by apache2 \(apache2\.service\)\. .* --proxy none/],
    [{ listeners: [listener(443, 'nginx')] }, /systemctl disable --now nginx/],
    [{ listeners: [listener(25, 'exim4')] }, /^Port 25 is in use by exim4/],
    [
      { listeners: [{ ...listener(80, 'docker'), program: 'docker-proxy' }] },
      /in use by a container\. Stop it: docker ps/,
    ],
    [{ node: '/root/.nvm/versions/node/v24.0.0/bin/node' }, /^Node\.js is \/root\/\.nvm\S+, where .* no access/],
    [
      { formerMailServer: { ...nothing, queues: [{ program: 'Exim', count: 1 }] } },
      /^1 message waits .*\(exim4 -qff\)/,
    ],
    [
      { formerMailServer: { ...nothing, packages: ['nullmailer'] } },
      /^Debian replaces nullmailer, .*: apt remove nullmailer$/,
    ],
    [
      { formerMailServer: { ...nothing, services: ['postfix'] }, listeners: [listener(25, 'postfix@-')] },
      /^postfix runs on this host, .* Stop it: systemctl disable --now postfix\. Its mail and settings stay/,
    ],
    [{ listeners: [listener(465, '')] }, /^Port 465 is in use by another program\. Stop that program$/],
  ])('are named with what to do if they are not met: %j', (over, sentence) => {
    expect(problemsIn({ ...bare, ...over })).toEqual([expect.stringMatching(sentence)]);
  });

  it.each([
    [{}, null],
    [{ '/opt': { uid: 0, mode: 0o41777 } }, null],
    [{ '/opt': { uid: 0, mode: 0o40777 } }, '/opt'],
    [{ '/opt/postroom': { uid: 1000, mode: 0o40755 } }, '/opt/postroom'],
    [{ '/opt/postroom/releases': { uid: 1000, mode: 0o40755 } }, '/opt/postroom/releases'],
  ])('need folders that root alone can change: %j', (folders: Record<string, { uid: number; mode: number }>, found) => {
    const ofRoot = { uid: 0, mode: 0o40755 };
    const stat = (path: string) => folders[path] ?? (path.endsWith('releases') ? undefined : ofRoot);
    expect(foreignFolder(['/', '/opt', '/opt/postroom', '/opt/postroom/releases'], stat)).toBe(found);
  });

  it('let Debian’s own exim4 be replaced, but none that carries mail away', () => {
    write(folder, {
      exim: "dc_eximconfig_configtype='local'\n",
      smarthost: "dc_eximconfig_configtype='satellite'\n",
    });
    const [local, smarthost] = [join(folder, 'exim'), join(folder, 'smarthost')];
    expect(isReplaced(listener(25, 'exim4', true), local)).toBe(true);
    expect(isReplaced(listener(25, 'exim4', true), smarthost)).toBe(false);
    expect(isReplaced(listener(25, 'exim4'), local)).toBe(false);
    expect(isReplaced(listener(25, 'postfix@-', true), local)).toBe(false);
  });

  it('know who listens, on IPv4, IPv6 and loopback', async () => {
    const found = [];
    for (const host of ['127.0.0.1', '0.0.0.0', '::1', '::']) {
      const server = createServer().listen(0, host);
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      found.push(listeners().find((each) => each.port === port));
      server.close();
      await once(server, 'close');
    }
    expect(found.map((each) => each?.isLoopback)).toEqual([true, false, true, false]);
    const name = readFileSync('/proc/self/comm', 'utf8').trim();
    expect(found.map((each) => each?.program)).toEqual([name, name, name, name]);
  });

  it.each([
    ['0::/system.slice/system-postgresql.slice/postgresql@15-main.service\n', 'postgresql@15-main'],
    ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/proxy.service\n', ''],
    ['0::/user.slice/user-0.slice/session-1.scope\n', ''],
  ])('know the service of a process in %j, if the host has it', (cgroup, unit) => {
    expect(unitIn(cgroup)).toBe(unit);
  });
});

describe('a former mail server', () => {
  it('has its mail counted, in each of its queues', () => {
    const root = mkdtempSync(join(folder, 'root-'));
    write(root, {
      'var/spool/postfix/deferred/A/A1B2C3D4E5': '',
      'var/spool/postfix/maildrop/4Xy7pQ2b1Lz': '',
      'var/spool/postfix/defer/A/A1B2C3D4E5': '',
      'var/spool/postfix/pid/master.pid': '',
      'var/spool/exim4/input/1rABcD-000001-2x-H': '',
      'var/spool/exim4/input/1rABcD-000001-2x-D': '',
      'var/spool/exim4/input/e/1rABce-000002-3y-H': '',
      'var/spool/exim4/msglog/1rABcD-000001-2x': '',
      'var/spool/mqueue/qf4AB': '',
      'var/spool/mqueue/df4AB': '',
    });
    expect(countMessages(root)).toEqual([
      { program: 'Postfix', count: 2 },
      { program: 'Exim', count: 2 },
      { program: 'Sendmail', count: 1 },
    ]);
    expect(countMessages(join(root, 'var'))).toEqual([]);
  });

  it('is found by what its package provides', () => {
    const packages = [
      'installed postfix default-mta, mail-transport-agent',
      'installed msmtp-mta mail-transport-agent (= 1)',
      'config-files exim4-daemon-light mail-transport-agent',
      'installed mailutils mailx',
    ];
    expect(transportAgents(packages.join('\n'))).toEqual(['msmtp-mta']);
  });
});
