import { join } from 'node:path';
import type { Finding } from '@/lib/health/finding';
import type { Clock } from '@/server/clock';
import { instanceName } from '@/server/cluster/this-node';
import type { Tx } from '@/server/database/db';
import { log } from '@/server/log';
import { processWide } from '@/server/process-wide';
import { ARCHIVE_FOLDER } from '../archive';
import { hexOf, isSamePlace, type Place } from '../chain';
import { type Anchor, readAnchor, writeAnchor } from './anchor-file';
import { type Examined, examineHead, type Known, NOTHING_KNOWN } from './examine';

/** How often the file is written at most while entries are sealed, and while none are. */
const BUSY_WRITE_MS = 5_000;
const IDLE_WRITE_MS = 60_000;
const LOG_EVERY_MS = 60 * 60_000;
/** The difference between an entry's time and its sealing that transactions, clocks and failures don't explain. */
export const UNTIMELY_MS = 10 * 60_000;

/** The times that entries sealed now can have; null for any. */
export type Timely = { at: Date; earliest: Date | null; latest: Date | null };

export type AuditAnchor = {
  /** Looks at the end of the log in the database, and remembers what is wrong with it. */
  examine(tx: Tx): Promise<Examined>;
  /** Returns the knowledge of this moment, for a transaction that begins later. */
  known(): Promise<Known>;
  timely(): Timely;
  /** Remembers an end that was examined, or that was sealed from there. @param clearAt when every entry was sealed, if so */
  follow(head: Place, examined: Examined, clearAt: Date | null): Promise<void>;
  check(): Finding[];
  /** Writes the file and the log a last time. */
  end(): Promise<void>;
};

const current = processWide<AuditAnchor>('audit anchor');

/** The anchor of this process; null in a process that seals nothing. */
export function auditAnchor(): AuditAnchor | null {
  return current.current ?? null;
}

export function setAuditAnchor(anchor: AuditAnchor): AuditAnchor {
  current.current = anchor;
  return anchor;
}

/**
 * Keeps the end of the audit log in `dataDir`, outside of the database, so that it never goes back unnoticed. Without a
 * file, the end that the database has at first is believed. A folder that can't be written degrades the health check only.
 */
export function openAuditAnchor(dataDir: string, clock: Clock): AuditAnchor {
  const file = join(dataDir, 'audit-head');
  const archiveDir = join(dataDir, ARCHIVE_FOLDER);
  let known: Known | null = null;
  let problem: string | null = null;
  let failure: string | null = null;
  let written: Anchor | null = null;
  let [writtenAt, loggedAt] = [0, 0];

  const load = async (): Promise<Known> => {
    if (known) return known;
    const stored = await readAnchor(file).catch((error: Error) => {
      failure = error.message;
      return { anchor: null, alteredAt: null };
    });
    known = { ...NOTHING_KNOWN, ...stored, archiveDir };
    return known;
  };

  const write = async (anchor: Anchor): Promise<void> => {
    try {
      await writeAnchor(file, anchor);
      [written, failure] = [anchor, null];
    } catch (error) {
      failure = (error as Error).message;
    }
    writtenAt = clock.now().getTime();
  };

  const logEnd = ({ seq, hash, at }: Anchor): void => {
    // An empty log has no end yet.
    if (seq === 0n) return;
    log.info({ seq: String(seq), hash: hexOf(hash), seen_at: at }, 'end of the audit log');
    loggedAt = clock.now().getTime();
  };

  return {
    async examine(tx) {
      const examined = await examineHead(tx, await load());
      if (examined.problem && examined.problem !== problem)
        log.error({ problem: examined.problem }, 'the audit log is not continued');
      problem = examined.problem;
      return examined;
    },
    known: load,
    timely() {
      const at = clock.now();
      const clearAt = known?.anchor?.clearAt;
      const earliest = clearAt ? new Date(clearAt.getTime() - UNTIMELY_MS) : null;
      return { at, earliest, latest: new Date(at.getTime() + UNTIMELY_MS) };
    },
    async follow({ seq, hash }, { head, accepted }, clearAt) {
      const at = clock.now();
      const before = (await load()).anchor;
      if (!before && seq > 0n) log.warn({ dir: dataDir }, 'no end of the audit log was known');
      const anchor: Anchor = {
        ...{ seq, hash, at, clearAt: clearAt ?? before?.clearAt ?? null },
        first: before?.first ?? { seq: head.seq, at },
        acceptedAt: latestOf(accepted?.at, before?.acceptedAt),
      };
      known = { anchor, alteredAt: null, archiveDir };
      const isChanged = !written || !isSamePlace(written, anchor);
      if (at.getTime() - writtenAt >= (isChanged ? BUSY_WRITE_MS : IDLE_WRITE_MS)) await write(anchor);
      if (at.getTime() - loggedAt >= LOG_EVERY_MS) logEnd(anchor);
    },
    check: () => [finding(problem, failure)],
    async end() {
      if (!known?.anchor) return;
      await write(known.anchor);
      logEnd(known.anchor);
    },
  };
}

function latestOf(...times: (Date | null | undefined)[]): Date | null {
  return times.reduce<Date | null>((latest, time) => (time && (!latest || time > latest) ? time : latest), null);
}

function finding(problem: string | null, failure: string | null): Finding {
  const found = { name: 'audit_anchor', subject: instanceName(), value: null, latencyMs: null } as const;
  if (problem) return { ...found, status: 'down', message: problem };
  if (failure) return { ...found, status: 'degraded', message: `DATA_DIR/audit-head can’t be kept: ${failure}` };
  return { ...found, status: 'ok', message: '' };
}
