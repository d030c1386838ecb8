import { beforeEach, describe, expect, it } from 'vitest';
import { createRecovery, type Dependency } from './recovery';

let instances: Record<Dependency, string | null>;
let [isPostfixUp, canDovecotAsk] = [true, true];
let done: string[];
let watch: () => Promise<void>;

beforeEach(async () => {
  instances = { dovecot: '1', postgres: '1' };
  [isPostfixUp, canDovecotAsk] = [true, true];
  watch = startWatching();
  await watchFor(200);
  done = [];
});

function startWatching() {
  done = [];
  return createRecovery({
    instanceOf: { dovecot: async () => instances.dovecot, postgres: async () => instances.postgres },
    canDovecotAsk: async () => canDovecotAsk,
    reconnectDovecot: async () => void done.push('reconnect'),
    reloadPostfix: async () => {
      if (!isPostfixUp) throw new Error('not running');
      done.push('reload');
    },
    retry: async () => void done.push('retry'),
  });
}

async function watchFor(seconds: number) {
  for (let second = 0; second < seconds; second++) await watch();
}

const RETRIES = Array(10).fill('retry');

describe('mail that waits for mailboxes is retried', () => {
  it('several times within a minute once Dovecot is back, and not while it is down', async () => {
    instances.dovecot = null;
    await watchFor(20);
    expect(done).toEqual([]);
    instances.dovecot = '2';
    await watchFor(5);
    expect(done).toEqual(RETRIES.slice(0, 5));
    await watchFor(200);
    expect(done).toEqual(RETRIES);
  });

  it('after a restart that was too short to be seen', async () => {
    instances.dovecot = '2';
    await watch();
    expect(done).toEqual(['retry']);
  });

  it('once Postgres is back, after Postfix was reloaded and Dovecot reconnected', async () => {
    instances.postgres = null;
    await watch();
    instances.postgres = '2';
    await watchFor(200);
    expect(done).toEqual(['reload', 'reconnect', ...RETRIES]);
  });

  it('once both are back', async () => {
    instances = { dovecot: null, postgres: null };
    await watch();
    instances.postgres = '2';
    await watchFor(3);
    expect(done).toEqual([]);
    instances.dovecot = '2';
    await watch();
    expect(done).toEqual(['reload', 'reconnect', 'retry']);
  });

  it('again if Postfix could not be reloaded', async () => {
    isPostfixUp = false;
    instances.postgres = '2';
    await expect(watch()).rejects.toThrow('not running');
    isPostfixUp = true;
    await watch();
    expect(done).toEqual(['reload', 'reconnect', 'retry']);
  });
});

describe('when the agent starts', () => {
  it('Postfix forgets failed lookups, Dovecot reconnects, and mail that waits is retried', async () => {
    watch = startWatching();
    await watchFor(200);
    expect(done).toEqual(['reload', 'reconnect', ...RETRIES]);
  });

  it('mail is not retried before Dovecot can ask Postgres', async () => {
    canDovecotAsk = false;
    watch = startWatching();
    await watchFor(20);
    expect(done).toEqual(['reload', 'reconnect']);
    canDovecotAsk = true;
    await watchFor(200);
    expect(done).toEqual(['reload', 'reconnect', ...RETRIES]);
  });
});
