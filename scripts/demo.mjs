// `npm run demo`: Postroom with thirty days of sample data of a hosting provider. It has its own data folder and connects
// to nothing outside this machine. `npm run demo -- --reset` starts over.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { dataDirOf, readAccess, reset, seed } from './demo/demo-data.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { checkNodeVersion, installMissing, isInstalled } from './steps/install.mjs';
import { requireUnlocked, takeLock } from './steps/lock.mjs';
import { bundled } from './steps/programs.mjs';
import { stopChild } from './steps/run-tool.mjs';
import { startApp } from './steps/start-app.mjs';
import { step } from './steps/step.mjs';

const DAY_MS = 86_400_000;
/** Settings that may come from the environment; the demo sets all others. */
const KEPT_SETTINGS = new Set(['PORT', 'SANDBOX_SMTP_PORT', 'LOG_LEVEL']);
const NEVER_USED = ['DATABASE_URL', 'SMTP_URL'];
const END_WITHIN_MS = 10_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isReset = process.argv.includes('--reset');

await runCommand(start, { exitCodeWhenStopped: 0 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function start(lifetime) {
  checkNodeVersion();
  process.chdir(root);
  const dataDir = dataDirOf(root);
  await takeLock('demo', root, 'The demo');
  await takeLock('data', dataDir, 'The data folder of the demo');
  // `npm start` may be serving files that an installation or a build would replace.
  const requireFree = () => requireUnlocked('build', root, 'This folder');
  if (!isInstalled(root)) await requireFree();
  await installMissing(root);
  await applyDemoEnvironment({ root, dataDir });
  if (isReset) await step('Deleting the data of the demo', () => reset(dataDir));
  const { url } = await startApp(lifetime, {
    root,
    beforeBuild: requireFree,
    fillDatabase: async () => readAccess(dataDir) ?? step('Seeding the demo', () => seed(root)),
  });
  await startDemoAgent(lifetime, root);
  console.log(describe({ url, .../** @type {import('./demo/demo-data.mjs').Access} */ (readAccess(dataDir)) }));
}

/** How to sign in to the demo, and what it contains. */
function describe({ url, email, password, apiKey, seededAt }) {
  const ageDays = Math.floor((Date.now() - new Date(seededAt).getTime()) / DAY_MS);
  const age = ageDays > 0 ? `, seeded ${ageDays === 1 ? '1 day' : `${ageDays} days`} ago` : '';
  return `
The demo is ready at ${url}${age}. Ctrl-C stops it.

  Sign in as   ${email} (super_admin)
  Password     ${password}
               also of tom.okafor@postroom.example (admin) and it@alderbrook-coffee.example (domain_admin)
  API          export POSTROOM_URL=${url} POSTROOM_KEY=${apiKey}

  In it: 40 domains, 200 mailboxes, 500 aliases, 20,000 messages of 30 days, 8 webhooks, and a mailbox that sent spam
  ${ageDays > 0 ? 'shortly before' : 'today'}. No mail, webhook or DNS query leaves this machine.
  Start over with new data: npm run demo -- --reset
`;
}

/**
 * Keeps the demo away from real databases and mail servers: ignores .env and drops settings from the environment. Needs
 * the installed packages.
 */
async function applyDemoEnvironment({ root, dataDir }) {
  const { settingNames } = await import('../src/server/settings/settings.mjs');
  const given = NEVER_USED.filter((name) => process.env[name]);
  for (const name of settingNames) if (!KEPT_SETTINGS.has(name)) delete process.env[name];
  process.env.DATA_DIR = dataDir;
  process.env.LOG_LEVEL ||= 'warn';
  process.env.MAIL_HOST = 'mail.postroom.example';
  // Nobody answers there.
  process.env.DNS_SERVERS = '127.0.0.1:9';
  process.env.NETWORK_CHECKS = 'false';
  // Loaded by every process of the demo, so that none connects outside this machine.
  const guard = pathToFileURL(join(root, 'scripts', 'demo', 'loopback-only.mjs')).href;
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--import=${guard}`].filter(Boolean).join(' ');
  if (given.length > 0) {
    console.log(`The demo ignores ${given.join(' and ')}: it uses an embedded Postgres and the sandbox mail server.`);
  }
}

/** Starts the stand-in for the mail server and its agent. @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function startDemoAgent(lifetime, root) {
  const child = spawn(process.execPath, [await bundled(root, 'src/demo/agent.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  lifetime.atEnd(() => stopChild(child, END_WITHIN_MS));
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const problem = new PlainError(`The mail server of the demo stopped (${signal ?? `exit code ${code}`}).`);
      reject(problem);
      if (!lifetime.isEnding()) console.error(`${problem.message} The queue page is empty without it.`);
    });
  });
}
