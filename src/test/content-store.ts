import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { prepareContentStore } from '@/modules/messages/content/store';
import { setSettings } from './settings';

/** Makes a folder the content store of the test file. @returns its path */
export async function makeContentStore(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-content-'));
  setSettings({ MESSAGE_CONTENT_DAYS: '7', CONTENT_STORE: `file:${folder}` });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  await prepareContentStore();
  return folder;
}
