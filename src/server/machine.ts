import { readFile, statfs } from 'node:fs/promises';
import { freemem, hostname, totalmem } from 'node:os';
import path from 'node:path';
import { formatBytes } from '@/lib/format';
import { HEALTH_CHECKS } from '@/lib/health/catalog';
import { type Finding, measured, unknown, within } from '@/lib/health/finding';

type Statistics = Record<'bsize' | 'blocks' | 'bavail' | 'files' | 'ffree', number>;

export type DiskCheck = { findings: Finding[]; freeBytes: number | null };

/** A look at a disk that hangs takes a thread of all file operations, so no second one is begun beside it. */
const underWay = new Map<string, Promise<Statistics>>();

/** @param folder on the disk to look at */
export async function checkDisk(
  [disk, inodes]: ['disk', 'inodes'] | ['mail_disk', 'mail_inodes'],
  folder: string,
  { read = statfs as (folder: string) => Promise<Statistics>, withinMs = 5_000 } = {},
): Promise<DiskCheck> {
  const host = hostname();
  try {
    const { bsize, blocks, bavail, files, ffree } = await within(readOnce(folder, read), withinMs);
    const findings = [withBytes(measured(disk, percent(bavail, blocks), host), bavail * bsize, blocks * bsize)];
    // Some file systems have no fixed number of inodes and report none.
    if (files > 0) findings.push(measured(inodes, percent(ffree, files), host));
    return { findings, freeBytes: bavail * bsize };
  } catch (error) {
    return { findings: [unknown(disk, host, error)], freeBytes: null };
  }
}

/** A share alone doesn't say how much room is left. */
function withBytes(finding: Finding, free: number, size: number): Finding {
  const { name, status, value } = finding;
  if (status === 'ok') return finding;
  const limits = HEALTH_CHECKS[name].limits;
  const limit = status === 'down' ? limits?.down : limits?.degraded;
  const message = `${formatBytes(free)} of ${formatBytes(size)} are free: ${value}%, below the limit of ${limit}%`;
  return { ...finding, message };
}

/** @param root where /proc and /sys are */
export async function checkMemory(root = '/'): Promise<Finding> {
  const shares = [await memoryOfMachine(root), await memoryOfContainer(root)].flatMap((share) => share ?? []);
  return measured('memory', Math.min(...shares), hostname());
}

function readOnce(folder: string, read: (folder: string) => Promise<Statistics>): Promise<Statistics> {
  const reading = underWay.get(folder) ?? read(folder).finally(() => underWay.delete(folder));
  underWay.set(folder, reading);
  return reading;
}

/** In percent. Linux uses some of what programs can have as a cache. */
async function memoryOfMachine(root: string): Promise<number> {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(await textOf(`${root}proc/meminfo`))?.[1];
  return percent(kilobytes === undefined ? freemem() : Number(kilobytes) * 1024, totalmem());
}

/** In percent of the limit of this process's control group (version 2), which a container or a service can have; else null. */
async function memoryOfContainer(root: string): Promise<number | null> {
  const group = /^0::(.+)$/m.exec(await textOf(`${root}proc/self/cgroup`))?.[1];
  const [limit, used, statistics] = await Promise.all(
    ['max', 'current', 'stat'].map((name) => textOf(path.join(`${root}sys/fs/cgroup`, group ?? '/', `memory.${name}`))),
  );
  const bytes = Number.parseInt(limit ?? '', 10);
  if (!Number.isFinite(bytes) || bytes >= totalmem()) return null;
  const caches = [...(statistics ?? '').matchAll(/^(?:in)?active_file (\d+)$/gm)].map(([, count]) => Number(count));
  return percent(bytes - Number(used) + caches.reduce((sum, count) => sum + count, 0), bytes);
}

function textOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

function percent(part: number, whole: number): number {
  return Math.floor((part / whole) * 1000) / 10;
}
