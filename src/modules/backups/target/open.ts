import { existsSync, lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { env } from '@/server/settings/env';
import { parseStore } from '@/server/settings/store-setting.mjs';
import { BackupError } from '../archive/format';
import { createFolderTarget } from './folder';
import type { BackupTarget } from './port';

type Credentials = ReturnType<typeof env>['bucketCredentials'];
type Place = NonNullable<ReturnType<typeof parseStore>>;

/** The target that new archives go to. */
export function openTarget(): Promise<BackupTarget> {
  const { backupTarget, bucketCredentials } = env();
  return openPlace(backupTarget, bucketCredentials);
}

/** The target that has an archive, also if it was made for another file or before the setting changed. @throws BackupError */
export async function openTargetAt(location: string): Promise<BackupTarget> {
  const target = await openTarget();
  if (target.label === location) return target;
  if (path.isAbsolute(location)) return createFolderTarget(location);
  throw new BackupError(`The archive is in ${location}, and BACKUP_TARGET is ${target.label}.`);
}

/** The client of buckets is large, so it is loaded only for one. */
async function openPlace(place: Place, credentials: Credentials): Promise<BackupTarget> {
  if (place.kind === 'file') return createFolderTarget(place.folder);
  const { createBucketTarget } = await import('./bucket');
  return createBucketTarget({ ...place, credentials });
}

type Settings = { backupTarget: Place; bucketCredentials: Credentials };

/**
 * Finds the archive that a person names: a file, `s3://bucket/prefix/name`, or its name in BACKUP_TARGET.
 * @throws BackupError
 */
export async function findArchive(given: string, settings: Settings): Promise<{ target: BackupTarget; name: string }> {
  if (existsSync(given)) {
    // A link that a person names is meant.
    const file = lstatSync(given).isSymbolicLink() ? realpathSync(given) : path.resolve(given);
    return { target: createFolderTarget(path.dirname(file)), name: path.basename(file) };
  }
  const [address = '', query] = given.split('?', 2);
  const [, place, name] = /^(s3:\/\/.+)\/([^/]+)$/.exec(address) ?? [];
  const bucket = place === undefined ? null : parseStore(`${place}?${query ?? queryOf(settings, place)}`);
  if (bucket && name) return { target: await openPlace(bucket, settings.bucketCredentials), name };
  if (given.includes('/')) throw new BackupError(`${given} does not exist.`);
  const target = await openPlace(settings.backupTarget, settings.bucketCredentials);
  const archive = await target.read(given);
  archive?.destroy();
  if (!archive) throw new BackupError(`${given} does not exist, neither here nor in ${target.label}.`);
  return { target, name: given };
}

/** The endpoint of BACKUP_TARGET is that of its bucket, wherever it is named. */
function queryOf({ backupTarget }: Settings, place: string): string {
  if (backupTarget.kind !== 's3' || backupTarget.bucket !== new URL(place).hostname) return '';
  const { endpoint, region, style } = backupTarget;
  return new URLSearchParams({ ...(endpoint && { endpoint }), region, ...(style && { style }) }).toString();
}
