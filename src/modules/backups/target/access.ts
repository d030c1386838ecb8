import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import { StoreError } from '@/server/object-store/port';
import { BackupError } from '../archive/format';
import { openTargetAt } from './open';
import type { BackupTarget } from './port';

type Place = { name: string; location: string };

/** The bytes of an archive, for a client. @throws NOT_FOUND; CONFLICT if its location isn't known here; SERVICE_UNAVAILABLE */
export async function readArchive({ name, location }: Place): Promise<AsyncIterable<Uint8Array>> {
  const archive = await forClient(location, (target) => target.read(name));
  if (!archive) throw new AppError('NOT_FOUND', `${name} is not in ${location}.`);
  return archive;
}

/** @throws CONFLICT if its location isn't known here; SERVICE_UNAVAILABLE */
export async function removeArchive({ name, location }: Place): Promise<void> {
  await forClient(location, (target) => target.remove(name));
}

async function forClient<Result>(location: string, use: (target: BackupTarget) => Promise<Result>): Promise<Result> {
  try {
    return await use(await openTargetAt(location));
  } catch (error) {
    if (error instanceof BackupError) throw new AppError('CONFLICT', error.message);
    if (!(error instanceof StoreError)) throw error;
    log.warn({ error, location }, 'the storage of backups failed');
    throw new AppError('SERVICE_UNAVAILABLE', 'Backup storage didn’t respond. Try again later.', {
      headers: { 'Retry-After': '30' },
    });
  }
}
