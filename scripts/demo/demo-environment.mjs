import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Settings that may come from the environment; the demo sets all others. */
const KEPT_SETTINGS = new Set(['PORT', 'SANDBOX_SMTP_PORT', 'LOG_LEVEL']);
const NEVER_USED = ['DATABASE_URL', 'SMTP_URL'];

/**
 * Keeps the demo away from real databases and mail servers: ignores .env and drops settings from the environment. Needs
 * the installed packages.
 */
export async function applyDemoEnvironment({ root, dataDir }) {
  const { settingNames } = await import('../../src/server/settings/settings.mjs');
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
