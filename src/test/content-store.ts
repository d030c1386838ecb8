import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A folder as content store for the tests of one file. Import it before anything that reads the environment. */
export const storeFolder = mkdtempSync(path.join(tmpdir(), 'postroom-content-'));
process.env.MESSAGE_CONTENT_DAYS = '7';
process.env.CONTENT_STORE = `file:${storeFolder}`;

beforeAll(async () => {
  const { prepareContentStore } = await import('@/modules/messages/content/store');
  await prepareContentStore();
});

afterAll(() => rmSync(storeFolder, { recursive: true, force: true }));
