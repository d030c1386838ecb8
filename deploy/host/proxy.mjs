// The reverse proxy, Caddy of Debian. Its configuration is made from deploy/reverse-proxy/Caddyfile.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { run, succeeds } from './commands.mjs';
import { replaceFile } from './files.mjs';
import { readSettings } from './settings.mjs';

const MAIN = '/etc/caddy/Caddyfile';
const OURS = '/etc/caddy/postroom.caddy';
const UNFINISHED = `${OURS}.unfinished`;
const HOLDING = '/run/postroom-caddy-holding';
const IMPORT = `import ${OURS}`;
const CONFFILES = `\${Conffiles}`;
const FIRST = `# Sites of your own can be added below.\n${IMPORT}\n`;

/** @returns {string | null} what to do about a configuration that somebody else wrote */
export function findForeignCaddyfile(file = MAIN, { packaged = checksumOfPackage } = {}) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const isEmpty = text.replace(/^\s*#.*$/gm, '').trim() === '';
  if (isEmpty || text.includes(IMPORT) || createHash('md5').update(text).digest('hex') === packaged()) return null;
  return `${file} has sites of yours. Let it begin with the line "${IMPORT}", without global options of its own; or use --proxy none (docs/installation.md).`;
}

/** @returns {string | undefined} the checksum of the file as Debian's package comes with it */
function checksumOfPackage() {
  const files = succeeds('dpkg-query', ['-W', 'caddy']) ? run('dpkg-query', ['-W', '-f', CONFFILES, 'caddy']) : '';
  return new RegExp(`^ ${MAIN} ([0-9a-f]{32})`, 'm').exec(files)?.[1];
}

/**
 * Returns the sites of Postroom. The challenges for the mail server's certificate are passed on to its agent; Caddy answers those for
 * its own before.
 * @param {string} template deploy/reverse-proxy/Caddyfile
 * @param {import('./settings.mjs').Settings} settings
 */
export function caddyfile(template, settings) {
  const { hostname: console } = new URL(settings.APP_URL ?? '');
  const certificate = settings.MAIL_TLS_CERTIFICATE;
  const options = [
    settings.MAIL_ACME_EMAIL && `email ${settings.MAIL_ACME_EMAIL}`,
    settings.MAIL_ACME_SERVER && `acme_ca ${settings.MAIL_ACME_SERVER}`,
    settings.MAIL_ACME_CA_FILE && `acme_ca_root ${settings.MAIL_ACME_CA_FILE}`,
  ].filter(Boolean);
  const names = [...new Set([console, settings.MAIL_HOST])].map((name) => `http://${name}`);
  const sites = template
    .replaceAll('mail.example.com', console)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${settings.PORT ?? 3000}`)
    .replace(/^\{\n/m, () => ['{', ...options.map((line) => `\t${line}`), ''].join('\n'));
  const head = `${console} {\n`;
  const tls = certificate ? `\ttls ${certificate} ${settings.MAIL_TLS_KEY}\n` : '';
  const challenges = certificate
    ? ''
    : `
${names.join(', ')} {
	handle /.well-known/acme-challenge/* {
		reverse_proxy ${settings.MAIL_ACME_HTTP_ADDRESS}
	}
	handle {
		redir ${settings.APP_URL}{uri}
	}
}
`;
  return `# deploy/install writes this file. Add sites of your own to ${MAIN}.\n${sites.replace(head, () => head + tls)}${challenges}`;
}

/** @returns {boolean} */
export function isProxyCurrent({ root, settings }) {
  const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return (
    !existsSync(UNFINISHED) &&
    read(OURS) === wanted({ root, settings }) &&
    read(MAIN).includes(IMPORT) &&
    succeeds('systemctl', ['is-active', '--quiet', 'caddy'])
  );
}

export function setUpProxy({ root, settings }) {
  for (const file of [settings.MAIL_TLS_CERTIFICATE, settings.MAIL_TLS_KEY, settings.MAIL_ACME_CA_FILE])
    if (file && !succeeds('runuser', ['-u', 'caddy', '--', 'test', '-r', file]))
      throw new PlainError(
        `Caddy runs as the user caddy, who can't read ${file}. Give that user access, for example by the group.`,
      );
  change(() => configure({ root, settings }));
}

function configure({ root, settings }) {
  const before = existsSync(OURS) ? readFileSync(OURS, 'utf8') : null;
  replaceFile(OURS, wanted({ root, settings }), { mode: 0o644 });
  if (!existsSync(MAIN) || !readFileSync(MAIN, 'utf8').includes(IMPORT)) replaceFile(MAIN, FIRST, { mode: 0o644 });
  try {
    const check = ['caddy', 'validate', '--config', MAIN, '--adapter', 'caddyfile'];
    // Caddy must own the files that its check writes.
    run('runuser', ['-u', 'caddy', '--', 'env', 'HOME=/var/lib/caddy', ...check]);
  } catch (error) {
    if (before !== null) replaceFile(OURS, before, { mode: 0o644 });
    throw error;
  }
  run('systemctl', ['enable', '--quiet', 'caddy']);
  run('systemctl', ['reload-or-restart', 'caddy']);
}

/**
 * Keeps requests waiting while the app restarts. With another proxy than Caddy, they are refused meanwhile.
 * @param {{ source: string }} host
 * @returns {Promise<() => Promise<void>>} lets requests through again
 */
export async function holdRequests({ source }) {
  const settings = readSettings();
  if (settings.REVERSE_PROXY === 'none' || !succeeds('systemctl', ['is-active', '--quiet', 'caddy']))
    return async () => {};
  // Without the relay, which a kill ends with everything else, Caddy goes on with the app.
  const upstreams = `127.0.0.1:RELAY 127.0.0.1:${settings.PORT ?? 3000}`;
  const sites = wanted({ root: source, settings: { ...settings, PORT: 'RELAY' } }).replace(
    /reverse_proxy 127\.0\.0\.1:RELAY( \{)?$/gm,
    (_, block) => `reverse_proxy ${upstreams} {\nlb_policy first\nlb_retries 1\nfail_duration 1s${block ? '' : '\n}'}`,
  );
  // A connection that was used before may end just when it is used again.
  const unshared = sites.replaceAll('transport http {\n', (line) => `${line}keepalive off\n`);
  writeFileSync(
    HOLDING,
    readFileSync(MAIN, 'utf8').replace(IMPORT, () => unshared),
    { mode: 0o600 },
  );
  const script = fileURLToPath(new URL('hold-requests.mjs', import.meta.url));
  const relay = fork(script, [settings.PORT ?? '3000', HOLDING], { detached: true });
  const ended = once(relay, 'exit');
  const isHolding = await Promise.race([once(relay, 'message').then(() => true), ended.then(() => false)]);
  if (!isHolding) console.log('  Caddy can’t hold requests back, so those of the next seconds fail.');
  return async () => {
    if (relay.connected) relay.send('end');
    await ended;
    rmSync(HOLDING, { force: true });
  };
}

export function hasProxy() {
  return existsSync(UNFINISHED) || (existsSync(MAIN) && readFileSync(MAIN, 'utf8').includes(IMPORT));
}

/** Caddy keeps running if it has other sites. */
export function removeProxy() {
  if (!hasProxy()) return;
  const text = existsSync(MAIN) ? readFileSync(MAIN, 'utf8') : '';
  change(() => {
    if (text === FIRST) run('systemctl', ['disable', '--now', '--quiet', 'caddy']);
    replaceFile(MAIN, text.replace(`${IMPORT}\n`, ''), { mode: 0o644 });
    if (text !== FIRST) run('systemctl', ['reload-or-restart', 'caddy']);
  });
}

/** An interruption leaves the mark, so that the next run doesn't take the files for what Caddy runs with. */
function change(work) {
  writeFileSync(UNFINISHED, '', { flush: true });
  work();
  rmSync(UNFINISHED);
}

function wanted({ root, settings }) {
  return caddyfile(readFileSync(join(root, 'deploy/reverse-proxy/Caddyfile'), 'utf8'), settings);
}
