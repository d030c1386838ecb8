import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listen } from '../http/listen.mjs';
import { PlainError } from '../process/plain-error.mjs';

/** What the environment says already wins over the file. */
export function readEnvFile(root) {
  const path = join(root, '.env');
  if (existsSync(path)) process.loadEnvFile(path);
}

/** Reads the settings and tries what only this machine can tell, so that nothing long is done in vain. */
export async function checkSettings() {
  const { readSettings } = await import('../../src/server/settings/settings.mjs');
  const settings = readSettings(process.env);
  if (process.env.PORT) await checkPort(settings.port);
  makeDataDir(settings.dataDir);
  return settings;
}

/** Made once, and kept for good: what the secret key encrypted is lost without it. */
export function makeSecret(dataDir, name) {
  const path = join(dataDir, name);
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
}

async function checkPort(port) {
  const server = createServer();
  await listen(server, { port, isExplicit: true });
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
      `DATA_DIR (${dataDir}) cannot be written to (${error.code}): give this user the right, or set another.`,
    );
  }
}
