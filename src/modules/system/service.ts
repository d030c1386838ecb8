import type { Context } from '@/server/context';
import { log } from '@/server/log';
import packageJson from '../../../package.json';
import type { Health, Version } from './schema';

const DATABASE_ANSWER_MS = 3_000;

/** Whether this instance can do its work: the database answers within three seconds. 503 where it does not. */
export async function getHealth(ctx: Context): Promise<Health> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${DATABASE_ANSWER_MS} ms`)), DATABASE_ANSWER_MS);
  });
  try {
    await Promise.race([ctx.database.$queryRaw`SELECT 1`, tooLate]);
    return { status: 'ok' };
  } catch (error) {
    log.warn({ error }, 'the database does not answer');
    ctx.response.status = 503;
    return { status: 'down' };
  } finally {
    clearTimeout(timer);
  }
}

export async function getVersion(): Promise<Version> {
  return { version: packageJson.version, api_version: 'v1', commit: process.env.POSTROOM_COMMIT || null };
}
