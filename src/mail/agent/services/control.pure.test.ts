import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAIL_SERVICES } from '@/lib/mail/operations';
import type { Installation } from '../installation';
import { createServiceControl } from './control';

// systemd doesn't run here: a fake systemctl records its calls, and says how the last service stopped.
const folder = mkdtempSync(join(tmpdir(), 'postroom-systemctl-'));
const calls = () =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : [];
const path = process.env.PATH;
const control = createServiceControl(() => ({ config: folder, data: folder }) as Installation);

beforeAll(() => {
  const command = join(folder, 'systemctl');
  writeFileSync(
    command,
    `#!/bin/sh\necho "$@" >> ${folder}/calls\n[ "$1" = show ] && cat ${folder}/result\n[ "$1" != fail ]\n`,
  );
  chmodSync(command, 0o755);
  process.env.PATH = `${folder}:${path}`;
});

beforeEach(() => {
  rmSync(join(folder, 'calls'), { force: true });
  writeFileSync(join(folder, 'result'), 'success\n');
});

afterAll(() => {
  process.env.PATH = path;
  rmSync(folder, { recursive: true });
});

describe('services that systemd manages', () => {
  it('are reloaded, stopped and started with systemctl', async () => {
    for (const service of MAIL_SERVICES) {
      expect(await control.reload(service)).toBe(service !== 'redis');
      await control.stop(service);
      await control.start(service);
    }
    const actions = calls().filter((call) => /^(reload|stop|start) /.test(call));
    expect(actions).toEqual(
      MAIL_SERVICES.flatMap((service) =>
        [service !== 'redis' && 'reload', 'stop', 'start']
          .filter(Boolean)
          .map((verb) => `${verb} postroom-mail-${service}.service`),
      ),
    );
  });

  it('are reported as killed if they did not stop in time', async () => {
    const lines: string[] = [];
    const onLine = (line: string) => void lines.push(line);
    await control.stop('dovecot', { onLine });
    expect(lines).toEqual([]);
    writeFileSync(join(folder, 'result'), 'timeout\n');
    await control.stop('dovecot', { onLine });
    expect(lines).toEqual(["dovecot didn't stop in time and was killed."]);
  });
});
