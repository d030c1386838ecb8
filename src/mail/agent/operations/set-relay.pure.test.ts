import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { restoreSettings } from './set-relay';

it('the settings of an agent that was killed while it set the relay are restored, once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = join(folder, 'settings');
  writeFileSync(settings, 'RELAY_HOST=new\n');
  writeFileSync(`${settings}.former`, 'RELAY_HOST=old\n');
  for (const _ of ['first', 'second']) {
    await restoreSettings({ settings });
    expect(readFileSync(settings, 'utf8')).toBe('RELAY_HOST=old\n');
  }
  expect(readdirSync(folder)).toEqual(['settings']);
});
