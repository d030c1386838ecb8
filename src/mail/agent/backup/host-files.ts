import { existsSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { isDiskFull } from '@/lib/disk-full';
import { CUSTOM_FILES } from '@/lib/mail/operations';
import type { Installation } from '../installation';
import { backupFolder } from './repository';
import { diskFull } from './restic';

const AOF = 'appendonlydir';
const REWRITE_TIMEOUT_MS = 60_000;
const PAUSE_MS = 200;
const REWRITES = 'auto-aof-rewrite-percentage';
/** As in redis.conf. What Redis has now may be what a backup that was killed has set. */
const REWRITE_AT_PERCENT = '100';

/**
 * Has the host's files in `backups/host` while they are backed up.
 * @throws BackupFailure if a disk is full
 */
export async function withHostFiles<Result>(
  installation: Installation,
  redis: Redis,
  backUp: () => Promise<Result>,
): Promise<Result> {
  try {
    await stageHostFiles(installation, redis);
    return await backUp();
  } catch (error) {
    throw isDiskFull(error) ? diskFull() : error;
  } finally {
    await removeHostFiles(installation.data);
  }
}

/** Undoes what a backup that was killed has left. */
export async function resetHostFiles(installation: Installation, redis: Redis): Promise<void> {
  await removeHostFiles(installation.data);
  await allowRewrites(redis);
}

/**
 * Puts what a new host needs besides DATA_DIR into `backups/host`: settings, certificate, and Redis' data as of one moment,
 * with what Rspamd has learned. deploy/mail/restore reads it.
 */
async function stageHostFiles(installation: Installation, redis: Redis): Promise<void> {
  const { config, data, settings, tls, acme } = installation;
  const folder = hostFolder(data);
  await removeHostFiles(data);
  await mkdir(join(folder, AOF), { recursive: true, mode: 0o700 });
  const files = {
    settings,
    // With ACME, they are in DATA_DIR.
    ...(acme ? {} : { 'certificate.pem': tls.certificate, 'key.pem': tls.key }),
    ...(acme?.dns && { 'acme-dns': acme.dns.credentialsFile }),
    ...(acme?.caFile && { 'acme-ca.pem': acme.caFile }),
    ...customFiles(config),
  };
  for (const [name, path] of Object.entries(files)) {
    await copyFile(path, join(folder, name));
    await chmod(join(folder, name), 0o600);
  }
  const places = Object.entries(files).map(([name, path]) => `${name} ${path}\n`);
  await writeFile(join(folder, 'places'), places.join(''), { mode: 0o600 });
  await linkRedisData(join(data, 'redis', AOF), join(folder, AOF), redis);
}

/** The operator's own settings of the services. */
function customFiles(config: string): Record<string, string> {
  const paths = CUSTOM_FILES.map((name) => [`custom-${name}`, join(config, 'custom', name)] as const);
  return Object.fromEntries(paths.filter(([, path]) => existsSync(path)));
}

/** They hold secrets, and keep what Redis deletes from its disk. */
async function removeHostFiles(data: string): Promise<void> {
  await rm(hostFolder(data), { recursive: true, force: true });
}

const hostFolder = (data: string) => join(backupFolder(data), 'host');

/** Redis' documentation: files of its log can be copied while it doesn't rewrite them. */
async function linkRedisData(source: string, target: string, redis: Redis): Promise<void> {
  if (!existsSync(source)) return;
  try {
    await pauseRewrites(redis);
    for (const name of await readdir(source)) await link(join(source, name), join(target, name));
  } finally {
    await allowRewrites(redis);
  }
}

/** If Redis is down, it starts with that. */
async function allowRewrites(redis: Redis): Promise<void> {
  await redis.config('SET', REWRITES, REWRITE_AT_PERCENT).catch(() => {});
}

async function pauseRewrites(redis: Redis): Promise<void> {
  // A Redis that is down writes nothing.
  if (!(await redis.ping().catch(() => null))) return;
  await redis.config('SET', REWRITES, '0');
  const deadline = performance.now() + REWRITE_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const persistence = await redis.info('persistence');
    if (!/^aof_rewrite_(in_progress|scheduled):1\r$/m.test(persistence)) break;
    await sleep(PAUSE_MS);
  }
}
