import type { AuditAction } from '@/lib/texts/audit-actions';
import type { Actor } from '../access/actor';
import { type AuditRecord, type AuditRow, auditRow, insertAuditEntry } from '../audit';
import type { Tx } from '../database/db';
import { recordDeniedAttempt } from '../denied-attempts';
import type { ActorContext, Context } from './context';
import { type Condition, requireAccepted } from './versions';

/** Records an audit entry of the call. */
type RecordAudit = (record: AuditRecord) => Promise<void>;

/** The transaction of a change. Its entry commits with the change, or neither does. */
export type AuditedTransaction = {
  tx: Tx;
  audit: RecordAudit;
  /**
   * Compares the version of the record with `If-Match`, and locks its row until the transaction ends. Without `If-Match` it
   * does nothing. A verb of a versioned route calls it before it reads the record, and after locks that come first.
   * @throws VERSION_CONFLICT
   */
  requireVersion: () => Promise<void>;
};

type Writes = {
  /**
   * Runs a transaction, which commits only if it recorded an audit entry. Query with `tx` only, since `ctx.db` would take a
   * second connection. Do slow work, such as hashing and network calls, before.
   */
  transaction<Result>(
    work: (transaction: AuditedTransaction) => Promise<Result>,
    options?: { timeoutMs: number },
  ): Promise<Result>;
  /** Makes a change that is one statement, which inserts the entry too. */
  statement(entry: AuditRecord, run: (row: AuditRow) => Promise<void>): Promise<void>;
  /** Records an entry without a transaction: a refusal, a request to the mail server, a batch. */
  auditAlone: RecordAudit;
};

/** The context of a mutation that needs no sign-in. */
export type PublicMutationContext = Context & Writes;

export type MutationContext = ActorContext & Writes;

type Call = {
  path: string;
  action: AuditAction;
  actor: Actor | null;
  /** Null without `If-Match`. */
  condition: Condition | null;
};

/** Returns the functions that a mutation writes with, and whether an audit entry of the call has been committed. */
export function auditedWrites(ctx: Context, call: Call): { writes: Writes; isRecorded: () => boolean } {
  const { path, action, actor: caller, condition } = call;
  let isRecorded = false;

  const completed = (entry: AuditRecord) => {
    const actor = entry.actor === undefined ? caller : entry.actor;
    return { outcome: 'success' as const, ...entry, action, actor };
  };

  async function record(tx: Tx, entry: AuditRecord): Promise<void> {
    const complete = completed(entry);
    if (complete.outcome === 'denied') await recordDeniedAttempt(tx, ctx, complete, caller);
    else await insertAuditEntry(tx, ctx, complete);
  }

  const writes: Writes = {
    async transaction(work, options) {
      const committed = await ctx.db.$transaction(async (tx) => {
        let hasEntry = false;
        let isVersionChecked = condition === null;
        const audit: RecordAudit = async (entry) => {
          await record(tx, entry);
          hasEntry = true;
        };
        const requireVersion = async () => {
          isVersionChecked = true;
          if (condition) await requireAccepted({ ...ctx, actor: caller } as ActorContext, tx, condition);
        };
        const result = await work({ tx, audit, requireVersion });
        if (!hasEntry) throw new Error(`a transaction of the mutation ${path} recorded no audit entry`);
        if (!isVersionChecked) throw new Error(`a transaction of the mutation ${path} compared no version`);
        return result;
      }, options && { timeout: options.timeoutMs });
      isRecorded = true;
      return committed;
    },
    async statement(entry, run) {
      await run(auditRow(ctx, completed(entry)));
      isRecorded = true;
    },
    async auditAlone(entry) {
      await record(ctx.db, entry);
      isRecorded = true;
    },
  };
  return { writes, isRecorded: () => isRecorded };
}

/** For queries, which change nothing. */
export const NO_WRITES: Writes = { transaction: rejectWrite, statement: rejectWrite, auditAlone: rejectWrite };

async function rejectWrite(): Promise<never> {
  throw new Error('queries do not write');
}
