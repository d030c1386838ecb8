import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { runTool, toolPath } from '../steps/run-tool.mjs';

const SYSTEM_BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * The browser for the tests: one that is here, else one that can be fetched.
 * @returns {Promise<string>} its path
 */
export async function findBrowser(root) {
  const { chromium } = await import('playwright');
  const found = [process.env.CHROMIUM_PATH, chromium.executablePath(), systemBrowser()].find(isThere);
  if (found) return found;
  if (isDebianAsRoot()) installFromDebian();
  else await runTool(toolPath(root, 'playwright'), ['install', 'chromium'], { root });
  const installed = [systemBrowser(), chromium.executablePath()].find(isThere);
  if (installed) return installed;
  throw new PlainError(
    'The browser tests need Chromium, and none could be installed: run "npx playwright install --with-deps chromium", ' +
      'or set CHROMIUM_PATH to a Chromium of yours.',
  );
}

function isThere(path) {
  return Boolean(path) && existsSync(path);
}

function systemBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = SYSTEM_BROWSERS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...candidates, MAC_CHROME].find(isThere);
}

function isDebianAsRoot() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false;
  return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

function installFromDebian() {
  const options = {
    stdio: 'ignore',
    timeout: INSTALL_TIMEOUT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update'], options);
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options);
}
