import { readFile, statfs } from 'node:fs/promises';
import { freemem, hostname, totalmem } from 'node:os';
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

export async function checkMemory(): Promise<Finding> {
  return measured('memory', percent(await availableMemory(), totalmem()), hostname());
}

function readOnce(folder: string, read: (folder: string) => Promise<Statistics>): Promise<Statistics> {
  const reading = underWay.get(folder) ?? read(folder).finally(() => underWay.delete(folder));
  underWay.set(folder, reading);
  return reading;
}

/** Bytes that programs can have, of which Linux uses some as a cache. */
async function availableMemory(): Promise<number> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
}

function percent(part: number, whole: number): number {
  return Math.floor((part / whole) * 1000) / 10;
}
