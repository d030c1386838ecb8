import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConfiguredService, DriftedFile } from '@/lib/mail/operations';
import type { GeneratedFile } from './generate';

export type Difference =
  | { path: string; kind: 'changed'; before: string; file: GeneratedFile }
  | { path: string; kind: 'missing'; file: GeneratedFile }
  | { path: string; kind: 'extra' };

/** Folders in which a file that isn't generated would be read by a service. */
const FOLDERS = ['postfix', 'dovecot', 'rspamd'];
const OWNERS: Record<string, ConfiguredService> = {
  postfix: 'postfix',
  dovecot: 'dovecot',
  rspamd: 'rspamd',
  'redis.conf': 'redis',
};
const PERMISSIONS = 0o777;

/** How the files in the `config` folder differ from the generated ones, by content, permissions or group. */
export async function compareConfiguration(config: string, files: GeneratedFile[]): Promise<Difference[]> {
  const compared = await Promise.all(files.map((file) => compareFile(config, file)));
  const generated = new Set(files.map(({ path }) => path));
  const extras = (await listFiles(config)).filter((path) => !generated.has(path));
  return [...compared.flat(), ...extras.map((path) => ({ path, kind: 'extra' as const }))].sort((one, other) =>
    one.path.localeCompare(other.path),
  );
}

/** The service that reads a file. The agent reads those that belong to no other. */
export function ownerOf(path: string): ConfiguredService {
  return OWNERS[path.split('/')[0] ?? ''] ?? 'agent';
}

export function withoutContent(differences: Difference[]): DriftedFile[] {
  return differences.map(({ path, kind }) => ({ path, kind }));
}

/** Paths in the `config` folder of the files that services read. */
async function listFiles(config: string): Promise<string[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) => {
      const entries = await readdir(join(config, folder), { recursive: true, withFileTypes: true }).catch(noFolder);
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    }),
  );
  return found.flat().map((path) => path.slice(config.length + 1));
}

async function compareFile(config: string, file: GeneratedFile): Promise<Difference[]> {
  const { path, text, mode, gid } = file;
  try {
    const [before, found] = await Promise.all([readFile(join(config, path), 'utf8'), stat(join(config, path))]);
    const isSame = before === text && (found.mode & PERMISSIONS) === mode && found.gid === gid;
    return isSame ? [] : [{ path, kind: 'changed', before, file }];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [{ path, kind: 'missing', file }];
  }
}

function noFolder(error: NodeJS.ErrnoException): [] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}
