import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listen } from '../process/listen.mjs';
import { PlainError } from '../process/plain-error.mjs';

/** Environment variables override the file. */
export function readEnvFile(root) {
  const path = join(root, '.env');
  if (existsSync(path)) process.loadEnvFile(path);
}

/** Reads the settings and checks port and data folder, before anything slow starts. */
export async function checkSettings() {
  const { readSettingsOfProcess } = await import('../../src/server/settings/settings.mjs');
  const settings = readSettingsOfProcess();
  if (process.env.PORT) await checkPort(settings);
  makeDataDir(settings.dataDir);
  return settings;
}

/** Generated once and kept forever: data encrypted with the secret key can't be read without it. */
export function makeSecret(dataDir, name) {
  const path = join(dataDir, name);
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
}

async function checkPort({ port, host }) {
  const server = createServer();
  await listen(server, { port, host, isExplicit: true });
  await new Promise((resolve) => server.close(resolve));
}

function makeDataDir(dataDir) {
  try {
    mkdirSync(dataDir, { recursive: true });
    const probe = join(dataDir, '.writable');
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new PlainError(
      `DATA_DIR (${dataDir}) is not writable (${error.code}): give this user permission, or set another folder.`,
    );
  }
}
