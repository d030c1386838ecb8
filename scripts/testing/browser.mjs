import { PlainError } from '../process/plain-error.mjs';
import { runTool, toolPath } from '../steps/run-tool.mjs';
import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// Chromium without its windows, which takes a fifth less time for the same tests.
const HEADLESS_SHELL = 'chromium-headless-shell';
const SYSTEM_BROWSERS = [HEADLESS_SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * Finds a browser for the tests, or installs one.
 * @returns {Promise<string>} its path
 */
export async function findBrowser(root) {
  const { chromium } = await import('playwright');
  const found = [process.env.CHROMIUM_PATH, chromium.executablePath(), systemBrowser()].find(isThere);
  if (found) return found;
  if (isDebianAsRoot()) installFromDebian(HEADLESS_SHELL);
  else await runTool(toolPath(root, 'playwright'), ['install', 'chromium'], { root });
  const installed = [systemBrowser(), chromium.executablePath()].find(isThere);
  if (installed) return installed;
  throw new PlainError(
    'The browser tests need Chromium, which could not be installed: run "npx playwright install --with-deps chromium", ' +
      'or set CHROMIUM_PATH.',
  );
}

function systemBrowser() {
  return [...placesOf(SYSTEM_BROWSERS), MAC_CHROME].find(isThere);
}
