import { inBatches } from '@/server/background/in-batches';
import { tryLock } from '@/server/database/advisory-locks';
import type { Database, Tx } from '@/server/database/db';
import type { AuditAnchor, Timely } from './anchor/anchor';
import { type Examined, examineHead, NOTHING_KNOWN } from './anchor/examine';
import { linkFrom, type Place, signPlace } from './chain';

const SEAL_BATCH = 500;

type Sealed = { count: number; head: Place; examined: Examined };
type Link = { seq: bigint; hash: Uint8Array; isValid: boolean };

/**
 * Adds the unsealed entries to the chain, in short transactions, and signs the new head. Entries are written unchained,
 * so that mutations don't wait for each other. Nothing is added to a log that doesn't continue what `anchor` knows of it.
 * @param anchor null for a database that nobody else uses
 */
export async function sealAuditEntries(db: Database, anchor: AuditAnchor | null): Promise<void> {
  const sealSome = async (size: number) => {
    const timely = anchor?.timely() ?? { at: new Date(), earliest: null, latest: null };
    const sealed = await db.$transaction((tx) => sealBatch(tx, size, { anchor, timely }));
    if (!sealed) return 0;
    await anchor?.follow(sealed.head, sealed.examined, sealed.count < size ? timely.at : null);
    return sealed.count;
  };
  await inBatches(sealSome, SEAL_BATCH);
}

/** @returns null if another instance is sealing, or the log must not be continued */
async function sealBatch(
  tx: Tx,
  size: number,
  { anchor, timely }: { anchor: AuditAnchor | null; timely: Timely },
): Promise<Sealed | null> {
  if (!(await tryLock(tx, 'sealing'))) return null;
  const examined = await (anchor?.examine(tx) ?? examineHead(tx, NOTHING_KNOWN));
  if (examined.problem) return null;
  const { at, earliest, latest } = timely;
  const [result] = await tx.$queryRaw<{ sealed: number }[]>`
    SELECT seal_audit_entries(${size}::int, ${at}::timestamptz, ${earliest}::timestamptz, ${latest}::timestamptz) AS sealed`;
  if (!result?.sealed) return { count: 0, head: examined.head, examined };
  const head = await requireContinued(tx, examined.head, result.sealed);
  const data = {
    seq: head.seq,
    hash: new Uint8Array(head.hash),
    signature: signPlace('audit head', head),
    sealedAt: at,
  };
  await tx.auditHead.update({ where: { id: 1 }, data, select: { id: true } });
  return { count: result.sealed, head, examined };
}

/** Reads the sealed entries again, so that the signed head is one that follows from the examined one. */
async function requireContinued(tx: Tx, from: Place, count: number): Promise<Place> {
  const links = await tx.$queryRaw<Link[]>`
    SELECT seq, hash, ${linkFrom(from)} AS "isValid" FROM audit_entry entry WHERE seq > ${from.seq}
    WINDOW chain AS (ORDER BY seq) ORDER BY seq`;
  const last = links.at(-1);
  if (!last || links.length !== count || links.some(({ isValid }) => !isValid))
    throw new Error(`the audit log doesn’t continue after entry ${from.seq}, so nothing was sealed`);
  return { seq: last.seq, hash: last.hash };
}
