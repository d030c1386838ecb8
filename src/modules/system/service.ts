import { thisNode } from '@/server/cluster/this-node';
import { log } from '@/server/log';
import type { Context } from '@/server/procedures/context';
import packageJson from '../../../package.json';
import type { Health, Version } from './schema';

const DATABASE_TIMEOUT_MS = 3_000;

/**
 * Readiness: `ok` if the database responds within three seconds and can be written to; else, and while draining, `down` with
 * status 503.
 */
export async function getHealth(ctx: Context): Promise<Health> {
  if (thisNode().isDraining) {
    ctx.response.status = 503;
    return { status: 'down' };
  }
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response in ${DATABASE_TIMEOUT_MS} ms`)), DATABASE_TIMEOUT_MS);
  });
  try {
    const asked = ctx.db.$queryRaw<[{ isStandby: boolean }]>`SELECT pg_is_in_recovery() AS "isStandby"`;
    const [{ isStandby }] = await Promise.race([asked, timeout]);
    if (isStandby) throw new Error('DATABASE_URL leads to a standby, which can only be read');
    return { status: 'ok' };
  } catch (error) {
    log.warn({ error }, 'database is not ready');
    ctx.response.status = 503;
    return { status: 'down' };
  } finally {
    clearTimeout(timer);
  }
}

export async function getVersion(): Promise<Version> {
  return { version: packageJson.version, api_version: 'v1', commit: process.env.POSTROOM_COMMIT || null };
}
