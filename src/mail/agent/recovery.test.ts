import { beforeEach, describe, expect, it } from 'vitest';
import { createRecovery, type Dependency } from './recovery';

let instances: Record<Dependency, string | null>;
let done: string[];
let watch: () => Promise<void>;

beforeEach(async () => {
  instances = { dovecot: '1', postgres: '1' };
  done = [];
  watch = createRecovery({
    instanceOf: { dovecot: async () => instances.dovecot, postgres: async () => instances.postgres },
    reload: async () => void done.push('reload'),
    retry: async () => void done.push('retry'),
  });
  await watch();
  expect(done).toEqual([]);
});

async function watchFor(seconds: number) {
  for (let second = 0; second < seconds; second++) await watch();
}

describe('mail that waits for mailboxes is retried', () => {
  it('a few times once Dovecot is back, and not while it is down', async () => {
    instances.dovecot = null;
    await watchFor(20);
    expect(done).toEqual([]);
    instances.dovecot = '2';
    await watchFor(20);
    expect(done).toEqual(['retry', 'retry', 'retry', 'retry', 'retry']);
  });

  it('after a restart that was too short to be seen', async () => {
    instances.dovecot = '2';
    await watch();
    expect(done).toEqual(['retry']);
  });

  it('once Postgres is back, after Postfix was reloaded', async () => {
    instances.postgres = null;
    await watch();
    instances.postgres = '2';
    await watchFor(2);
    expect(done).toEqual(['reload', 'retry', 'retry']);
  });

  it('once both are back', async () => {
    instances = { dovecot: null, postgres: null };
    await watch();
    instances.postgres = '2';
    await watchFor(3);
    expect(done).toEqual([]);
    instances.dovecot = '2';
    await watch();
    expect(done).toEqual(['reload', 'retry']);
  });

  it('again if Postfix could not be reloaded', async () => {
    let isPostfixUp = false;
    watch = createRecovery({
      instanceOf: { dovecot: async () => '1', postgres: async () => instances.postgres },
      reload: async () => {
        if (!isPostfixUp) throw new Error('not running');
        done.push('reload');
      },
      retry: async () => void done.push('retry'),
    });
    await watch();
    instances.postgres = '2';
    await expect(watch()).rejects.toThrow('not running');
    isPostfixUp = true;
    await watch();
    expect(done).toEqual(['reload', 'retry']);
  });
});
