import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Installation } from './installation';
import { MAIL_SERVICES } from './requests';
import { createServiceHandlers } from './services';

// systemd doesn't run here: a fake systemctl records its calls.
const folder = mkdtempSync(join(tmpdir(), 'postroom-systemctl-'));
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
const path = process.env.PATH;

beforeAll(() => {
  const command = join(folder, 'systemctl');
  writeFileSync(command, `#!/bin/sh\necho "$@" >> ${folder}/calls\n`);
  chmodSync(command, 0o755);
  process.env.PATH = `${folder}:${path}`;
});

afterAll(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

it('reloads and restarts services with systemctl if systemd manages them', async () => {
  const handlers = createServiceHandlers({ config: folder, data: folder } as Installation);
  for (const service of MAIL_SERVICES) {
    expect(await handlers['services.reload']({ service })).toEqual({ isDone: service !== 'redis' });
    await handlers['services.restart']({ service });
  }
  const actions = calls().filter((call) => !call.startsWith('is-enabled'));
  expect(actions).toEqual(
    MAIL_SERVICES.flatMap((service) =>
      [service !== 'redis' && 'reload', 'restart']
        .filter(Boolean)
        .map((verb) => `${verb} postroom-mail-${service}.service`),
    ),
  );
});
