import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const ENDS_WITHIN_MS = 20_000;

/** Redis never answers, and neither does the database. */
const COMMANDS = {
  node: 'exit 0',
  setpriv: 'touch "$FOLDER/redis-started"',
  'redis-cli': 'exit 1',
  psql: 'touch "$FOLDER/database-asked"; exec sleep 1000',
};

/** The folder that has the scripts, with the paths of the configuration in it. */
function prepareFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-container-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(DEPLOY, join(folder, 'deploy'), { recursive: true });
  const paths = join(folder, 'deploy/mail/settings-file');
  writeFileSync(paths, readFileSync(paths, 'utf8').replaceAll('/etc/', `${folder}/etc/`));
  for (const name of ['commands', 'data/run', 'etc/postroom', 'etc/postroom-mail'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'etc/postroom/settings'), 'DATABASE=postgresql://mta_read:x@127.0.0.1/letters\n');
  writeFileSync(
    join(folder, 'etc/postroom-mail/environment'),
    `DATA=${folder}/data\nREDIS_PASSWORD=x\nREDIS_PORT=1\nPROBE_ADDRESS=127.0.0.1\n`,
  );
  for (const [name, command] of Object.entries(COMMANDS))
    writeFileSync(join(folder, 'commands', name), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  return folder;
}

/** Runs the first process of the mail container in namespaces of its own, whose other processes end with it. */
function startContainer(folder: string) {
  const steps = [
    'mount -t tmpfs none /run',
    'mkdir -m 755 /run/secrets',
    `exec ${folder}/deploy/containers/mail/run`,
  ].join(' && ');
  const namespaces = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
  const env = {
    ...process.env,
    ...{ FOLDER: folder, PATH: `${folder}/commands:${process.env.PATH}` },
    DATABASE_ADMIN_URL: 'postgresql://postgres:x@127.0.0.1/letters',
  };
  const child = spawn('unshare', [...namespaces, 'sh', '-c', steps], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const first = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return { child, output: text(child.stdout), firstProcess: first };
}

it('a mail container that is stopped while it starts ends at once, and root alone can read its secrets', async () => {
  const folder = prepareFolder();
  const { child, output, firstProcess } = startContainer(folder);
  await expect
    .poll(() => ['redis-started', 'database-asked'].map((name) => existsSync(join(folder, name))))
    .toEqual([true, true]);
  const pid = firstProcess();
  expect((statSync(`/proc/${pid}/root/run/secrets`).mode & 0o777).toString(8)).toBe('700');
  const from = Date.now();
  process.kill(Number(pid), 'SIGTERM');
  const [code] = await once(child, 'exit');
  expect({ code, isQuick: Date.now() - from < ENDS_WITHIN_MS }).toEqual({ code: 0, isQuick: true });
  expect(await output).toContain('Stopping the mail server.');
  expect(existsSync(join(folder, 'data/run/redis.stopped'))).toBe(true);
});
