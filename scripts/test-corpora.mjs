// `npm run test:corpora`: mail that other programs test themselves with, read by Postroom and by Python's email package. The
// messages are in the source packages of Debian; nothing of them is in this repository. Needs apt and python3.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { step } from './steps/step.mjs';

const APT = '/usr/bin/apt-get';
const SUITE = 'bookworm';
const PACKAGES = [
  ...['aerc', 'bogofilter', 'exim4', 'gmime', 'golang-github-jhillyerd-enmime', 'kf5-messagelib', 'kmime', 'mimetic'],
  ...['notmuch', 'php-horde-mime', 'public-inbox', 'redmine', 'request-tracker5', 'roundcube', 'rspamd'],
];
const GENERATED = ['10000', '1'];
const TIMEOUT_MS = 600_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
await runCommand(testCorpora, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function testCorpora(lifetime) {
  const packages = join(homedir(), '.cache', 'postroom', 'corpora');
  mkdirSync(join(packages, 'lists', 'partial'), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'postroom-corpora-'));
  lifetime.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'messages'));

  await step('Fetching source packages', () => fetchPackages(packages));
  const found = run('python3', ['scripts/corpora/messages.py', packages, join(folder, 'messages')]);
  console.log(found.trim());
  run('python3', ['scripts/corpora/generated.py', ...GENERATED, join(folder, 'generated.jsonl')]);
  const env = { ...process.env, CORPORA: folder };
  return spawnSync(process.execPath, ['scripts/test.mjs', 'corpora'], { stdio: 'inherit', env }).status ?? 1;
}

/** Keeps what is there, since a mirror has each version for a while only. */
function fetchPackages(folder) {
  const sources = join(folder, 'sources.list');
  writeFileSync(sources, `deb-src http://deb.debian.org/debian ${SUITE} main\n`);
  const options = Object.entries({
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(folder, 'lists'),
    'APT::Sandbox::User': 'root',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const isThere = (name) => readdirSync(folder).some((file) => file.startsWith(`${name}_`) && file.endsWith('.dsc'));
  const missing = PACKAGES.filter((name) => !isThere(name));
  if (missing.length === 0) return;
  run(APT, [...options, 'update']);
  for (const name of missing) {
    const { status } = spawnSync(APT, [...options, '--download-only', 'source', name], {
      cwd: folder,
      stdio: 'ignore',
      timeout: TIMEOUT_MS,
    });
    if (status !== 0) console.log(`${name} can't be fetched.`);
  }
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  if (status !== 0) throw new PlainError(`${command} ${args[0]} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}
