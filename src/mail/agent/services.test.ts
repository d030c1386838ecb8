import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAIL_SERVICES } from '../agent-requests';
import type { Installation } from './installation';
import { createServiceHandlers } from './services';

// No systemd runs here: what stands for it notes how it is called.
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

it('services that systemd keeps are reloaded and restarted by it: it alone knows their processes', async () => {
  const handlers = createServiceHandlers({ config: folder, data: folder } as Installation);
  for (const service of MAIL_SERVICES) {
    expect(await handlers['services.reload']({ service })).toEqual({ isDone: service !== 'redis' });
    await handlers['services.restart']({ service });
  }
  const acts = calls().filter((call) => !call.startsWith('is-enabled'));
  expect(acts).toEqual(
    MAIL_SERVICES.flatMap((service) =>
      [service !== 'redis' && 'reload', 'restart']
        .filter(Boolean)
        .map((verb) => `${verb} postroom-mail-${service}.service`),
    ),
  );
});
