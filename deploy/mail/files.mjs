import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CUSTOM, readSnippets, SNIPPETS, withSnippet } from './custom.mjs';
import { GENERATIONS, installedGeneration } from './dovecot.mjs';
import { replaceFile } from './replace-file.mjs';
import { SECRETS } from './settings.mjs';

const TEMPLATES = join(dirname(fileURLToPath(import.meta.url)), 'templates');
const NETWORK_CHECK = 'rspamd/network-check.conf';
const NETWORK_CHECKS = ['surbl', 'fuzzy_check', 'phishing', 'asn', 'spf', 'arc', 'hfilter'];
// Readable by everyone, for commands of Postfix and Dovecot that don't run as root. They contain no secret.
const PUBLIC = [
  'postfix/main.cf',
  'postfix/master.cf',
  'dovecot/dovecot.conf',
  'dovecot/version.conf',
  'dovecot/custom.conf',
  'dovecot/learn-spam.sieve',
  'dovecot/learn-ham.sieve',
];
const GROUPS = {
  postfix: 'postfix',
  dovecot: 'dovecot',
  rspamd: '_rspamd',
  'redis.conf': 'redis',
  'redis-repair': 'redis',
};

/**
 * Fills every template for the Dovecot that is installed. Each file is readable by the service that uses it.
 * @typedef {{ path: string, text: string, mode: number, gid: number, hasSecret: boolean }} File
 * @returns {File[]} with paths in the `config` folder
 */
export function generateFiles(values) {
  const gids = readIds('/etc/group');
  const dovecot = installedGeneration();
  const snippets = readSnippets(values.config);
  const own = Object.keys(snippets).map((name) => SNIPPETS[name]);
  const all = { ...values, ...GENERATIONS[dovecot], dovecot };
  return outputs(dovecot).map(([path, template]) => {
    const source = readFileSync(join(TEMPLATES, template), 'utf8');
    const group = GROUPS[path.split('/')[0]];
    return {
      path,
      text: withSnippet(path, fill(source, all, template), snippets),
      mode: PUBLIC.includes(path) ? 0o644 : 0o640,
      gid: group ? idOf(gids, group) : 0,
      hasSecret: own.includes(path) || SECRETS.some((name) => source.includes(`{{${name}}}`)),
    };
  });
}

/** Writes the files, and removes those that only another Dovecot needs. @param {File[]} files */
export function writeFiles(config, files) {
  mkdirSync(join(config, CUSTOM), { recursive: true, mode: 0o755 });
  for (const { path, text, mode, gid } of files) {
    const file = join(config, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    replaceFile(file, text, { mode, giveTo: (temporary) => chownSync(temporary, 0, gid) });
  }
  const written = new Set(files.map(({ path }) => path));
  const others = Object.keys(GENERATIONS).flatMap((dovecot) => outputs(dovecot).map(([path]) => path));
  for (const path of others) if (!written.has(path)) rmSync(join(config, path), { force: true });
}

/** Creates the folders for data, logs and sockets. Each belongs to one service. */
export function makeDataFolders({ data, mail_uid: mailUid }) {
  const uids = readIds('/etc/passwd');
  const gids = readIds('/etc/group');
  const make = (path, mode, user = 'root', group = 'root') => {
    const folder = join(data, path);
    mkdirSync(folder, { recursive: true });
    chownSync(folder, idOf(uids, user), idOf(gids, group));
    chmodSync(folder, mode);
  };
  for (const path of ['', 'queue', 'run', 'run/dovecot', 'dovecot', 'log']) make(path, 0o755);
  make('tls', 0o700);
  make('acme', 0o700);
  make('postfix', 0o700, 'postfix', 'postfix');
  make('redis', 0o750, 'redis', 'redis');
  make('rspamd', 0o750, '_rspamd', '_rspamd');
  make('run/redis', 0o750, 'redis', 'redis');
  make('run/agent', 0o750, 'root', 'postfix');
  make('run/rspamd', 0o750, '_rspamd', 'postfix');
  make('log/postfix', 0o750, 'postfix', 'postfix');
  make('log/dovecot', 0o750, 'dovecot', 'dovecot');
  make('log/rspamd', 0o750, '_rspamd', '_rspamd');
  make('log/redis', 0o750, 'redis', 'redis');
  make('mail', 0o770);
  chownSync(join(data, 'mail'), Number(mailUid), Number(mailUid));
}

/** @returns {[path: string, template: string][]} */
function outputs(dovecot) {
  const templates = readdirSync(TEMPLATES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(TEMPLATES, path)).isFile(),
  );
  const own = templates.flatMap((path) => {
    const [, generation, rest] = /^dovecot-([^/]+)\/(.+)$/.exec(path) ?? [];
    if (generation) return generation === dovecot ? [pair(`dovecot/${rest}`, path)] : [];
    return path === NETWORK_CHECK ? [] : [pair(path, path)];
  });
  return [...own, ...NETWORK_CHECKS.map((name) => pair(`rspamd/local.d/${name}.conf`, NETWORK_CHECK))];
}

/** @returns {[path: string, template: string]} */
function pair(path, template) {
  return [path, template];
}

function fill(text, values, template) {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`${template} uses {{${name}}}, which no setting defines`);
    return String(values[name]);
  });
}

function readIds(file) {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  return new Map(rows.map(([name, , id]) => [name, Number(id)]));
}

function idOf(ids, name) {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`there is no user or group "${name}"; its package isn't installed`);
  return id;
}
