// `npm run mail-agent`: connects the mail server of deploy/mail with Postroom through the database. Runs as root on the
// mail host and needs the same DATABASE_URL and SECRET_KEY as the app.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { generateClient, isClientCurrent } from './steps/build.mjs';
import { readEnvFile } from './steps/environment.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { bundled } from './steps/programs.mjs';
import { stopChild } from './steps/run-tool.mjs';
import { step } from './steps/step.mjs';

const END_WITHIN_MS = 30_000;
/** The agent ends with this once its settings have changed (src/agent/main.ts). */
const RESTART_EXIT_CODE = 75;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(start, { exitCodeWhenStopped: 0 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function start(lifetime) {
  checkNodeVersion();
  process.chdir(root);
  readEnvFile(root);
  await installMissing(root);
  const { readSettingsOfProcess } = await import('../src/server/settings/settings.mjs');
  const settings = readSettingsOfProcess();
  process.env.SECRET_KEY ||= findSecretKey(settings.dataDir);
  check(settings);
  const { checkIsMigrated, waitForDatabase } = await import('./postgres/database.mjs');
  // When the host boots, Postgres may start last.
  await waitForDatabase(settings.databaseUrl, (reason) => console.error(`${reason} Waiting for it.`));
  await checkIsMigrated(root, settings.databaseUrl);
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  await runAgent(lifetime, await bundled(root, 'src/agent/main.ts'));
}

/** The key that `npm start` generated in this folder, if the app runs on the same host. */
function findSecretKey(dataDir) {
  const path = join(dataDir, 'secret-key');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
}

function check({ databaseUrl, mailServerConfig }) {
  if (process.getuid?.() !== 0) throw new PlainError('Run this as root: only root can access the queue and the logs.');
  if (!databaseUrl) throw new PlainError("DATABASE_URL is not set: the agent needs the app's database.");
  if (!process.env.SECRET_KEY)
    throw new PlainError("SECRET_KEY is not set: the agent needs the app's key to decrypt DKIM keys.");
  if (!existsSync(join(mailServerConfig, 'environment')))
    throw new PlainError(
      `No mail server is configured in ${mailServerConfig}: run deploy/mail/install first, or set MAIL_SERVER_CONFIG.`,
    );
}

function runAgent(lifetime, program) {
  let child = spawnAgent(program);
  lifetime.atEnd(() => stopChild(child, END_WITHIN_MS));
  return new Promise((resolve, reject) => {
    const follow = () => {
      child.once('message', () => {
        console.log('The mail agent is running. Press Ctrl+C to stop it.');
        resolve(undefined);
      });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === RESTART_EXIT_CODE && !lifetime.isEnding()) {
          child = spawnAgent(program);
          follow();
          return;
        }
        const problem = new PlainError(`The mail agent stopped unexpectedly (${signal ?? `exit code ${code}`}).`);
        reject(problem);
        if (lifetime.isEnding()) return;
        console.error(problem.message);
        lifetime.end(1);
      });
    };
    follow();
  });
}

function spawnAgent(program) {
  return spawn(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}
