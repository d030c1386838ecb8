import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';
import { type Database, isRetryable } from '@/server/database/db';
import { log } from '@/server/log';
import { StoreError, type StoreFailure } from '@/server/object-store/port';
import type { ContentState, ContentReason as StoredReason } from '@/server/prisma/client';
import { runContentJobAside } from '../jobs/pool';
import type { ContentStore } from '../store';

export type NewContent = {
  messageId: string;
  domainId: string | null;
  sizeBytes: number;
  at: Date;
  /** The raw message, or null if there is no copy of all of it. Called once, later. */
  read: () => Promise<Uint8Array | null>;
  /** Whether an earlier delivery may have stored it already. */
  isPerhapsKept?: boolean;
};

export type KeeperOptions = {
  db: Database;
  store: () => Promise<ContentStore>;
  onFailure: (error: StoreError) => Promise<void>;
  /** Called when something could be stored again. */
  onRecovery?: () => Promise<void>;
  /** A single larger message is accepted if nothing else waits. */
  maxWaitingBytes?: number;
  retryStoreMs?: number;
};

export type ContentKeeper = {
  /** Returns at once. The content is stored later, or its row says why it is not. */
  keep: (content: NewContent) => void;
  /** Resolves when everything given so far is stored. */
  settled: () => Promise<void>;
};

/** Messages of a folder are written together. */
const STORING_AT_ONCE = 32;
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 128 * 1024 * 1024;
const MAX_UNSAVED = 20_000;
const ROWS_PER_STATEMENT = 200;
const SAVE_DELAY_MS = 100;
const SAVE_RETRY_MS = 2_000;
const RETRY_STORE_MS = 5_000;

/**
 * Stores content in the background, bounded in memory. After a failure of the store, content isn't kept for a few seconds,
 * so that a store that hangs fills no memory. A crash loses what waits; those messages then have no row.
 */
export function createContentKeeper(options: KeeperOptions): ContentKeeper {
  const {
    db,
    store,
    onFailure,
    onRecovery = async () => {},
    maxWaitingBytes = MAX_WAITING_BYTES,
    retryStoreMs = RETRY_STORE_MS,
  } = options;
  const limit = pLimit(STORING_AT_ONCE);
  const underWay = new Set<Promise<void>>();
  let unsaved: ContentRow[] = [];
  let saving: Promise<void> | null = null;
  let waitingBytes = 0;
  let failure: { until: number; reason: StoreReason } | null = null;

  function keep(content: NewContent): void {
    const { sizeBytes } = content;
    const isTooMuch = waitingBytes > 0 && waitingBytes + sizeBytes > maxWaitingBytes;
    if (isTooMuch || limit.pendingCount >= MAX_WAITING) {
      add(notKept(content, 'too_busy'));
      return;
    }
    waitingBytes += sizeBytes;
    const task = limit(() => storeOne(content)).then(add, (error: unknown) =>
      log.error({ error, message_id: content.messageId }, 'keeping the content of a message failed'),
    );
    const tracked = task.finally(() => {
      waitingBytes -= sizeBytes;
      underWay.delete(tracked);
    });
    underWay.add(tracked);
  }

  async function storeOne(content: NewContent): Promise<ContentRow | null> {
    const { messageId, domainId, at } = content;
    if (failure && failure.until > performance.now()) return notKept(content, failure.reason);
    if (content.isPerhapsKept && (await isStored(messageId))) return null;
    const raw = await content.read().catch((error: unknown) => {
      log.warn({ error, message_id: messageId }, 'cannot read the content of a message to keep it');
      return undefined;
    });
    if (!raw) return notKept(content, raw === null ? 'no_copy' : 'copy_unreadable');
    const rawBytes = raw.byteLength;
    const sealed = await runContentJobAside({ kind: 'seal', messageId, raw });
    if (sealed.kind !== 'bytes') throw new TypeError(`unexpected result ${sealed.kind}`);
    try {
      const { id: storeId, put } = await store();
      const name = newObjectName(at);
      const object = { storeId, name, bytes: sealed.bytes.byteLength };
      await put(name, sealed.bytes);
      if (failure !== null) await recovered();
      return { messageId, domainId, state: 'kept', reason: null, rawBytes, object, storedAt: at };
    } catch (error) {
      return notKept(content, await failed(error));
    }
  }

  async function isStored(messageId: string): Promise<boolean> {
    const known = await db.messageContent.findUnique({ where: { messageId }, select: { state: true } });
    return known !== null && known.state !== 'not_kept';
  }

  async function failed(error: unknown): Promise<StoreReason> {
    const problem = error instanceof StoreError ? error : new StoreError('away', String(error), { cause: error });
    const reason = REASONS[problem.failure];
    const isFirst = failure === null;
    failure = { until: performance.now() + retryStoreMs, reason };
    if (isFirst)
      log.error({ error: problem }, 'the content store failed: the content of messages is not kept meanwhile');
    await onFailure(problem).catch((cause: unknown) => log.warn({ error: cause }, 'opening an alert failed'));
    return reason;
  }

  async function recovered(): Promise<void> {
    failure = null;
    await onRecovery().catch((cause: unknown) => log.warn({ error: cause }, 'closing an alert failed'));
  }

  function add(row: ContentRow | null): void {
    if (row && unsaved.length < MAX_UNSAVED) unsaved.push(row);
    if (unsaved.length > 0)
      saving ??= save().finally(() => {
        saving = null;
      });
  }

  async function save(): Promise<void> {
    while (unsaved.length > 0) {
      await pause(SAVE_DELAY_MS);
      const rows = unsaved.slice(0, ROWS_PER_STATEMENT);
      try {
        await storeContentRows(db, rows);
      } catch (error) {
        log.warn({ error }, 'saving whether message content is kept failed');
        if (isRetryable(error)) {
          await pause(SAVE_RETRY_MS);
          continue;
        }
      }
      unsaved = unsaved.slice(rows.length);
    }
  }

  return {
    keep,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
      await saving;
    },
  };
}

type StoreReason = 'store_full' | 'store_away' | 'no_store';

const REASONS: Record<StoreFailure, StoreReason> = { full: 'store_full', away: 'store_away', absent: 'no_store' };

function notKept(content: NewContent, reason: NonNullable<ContentRow['reason']>): ContentRow {
  const { messageId, domainId, sizeBytes, at } = content;
  return { messageId, domainId, state: 'not_kept', reason, rawBytes: sizeBytes, object: null, storedAt: at };
}

/** In a folder per hour, so that deletion by age is cheap. The rest can't be guessed. */
function newObjectName(at: Date): string {
  const [day = '', time = ''] = at.toISOString().split('T');
  return `${day}/${time.slice(0, 2)}/${randomBytes(24).toString('hex')}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Whether a message's content is kept. Without an object: why not. */
type ContentRow = {
  messageId: string;
  domainId: string | null;
  state: Extract<ContentState, 'kept' | 'not_kept'>;
  reason: StoredReason | null;
  rawBytes: number;
  object: { storeId: string; name: string; bytes: number } | null;
  storedAt: Date;
};

/** Stores rows in one statement. Content that is kept later replaces what was not kept; a second copy stays an orphan. */
async function storeContentRows(db: Database, rows: readonly ContentRow[]): Promise<void> {
  const column = <Value>(of: (row: ContentRow) => Value) => rows.map(of);
  await db.$queryRaw`/* prepared */
    INSERT INTO message_content AS known (message_id, domain_id, state, reason, raw_bytes, stored_bytes, store_id,
                                          object_name, stored_at)
    SELECT DISTINCT ON (message_id) message_id, domain_id, state::content_state, reason::content_reason, raw_bytes,
           stored_bytes, store_id, object_name, stored_at
      FROM unnest(${column(({ messageId }) => messageId)}::uuid[], ${column(({ domainId }) => domainId)}::uuid[],
                  ${column(({ state }) => state)}::text[], ${column(({ reason }) => reason)}::text[],
                  ${column(({ rawBytes }) => rawBytes)}::int[], ${column(({ object }) => object?.bytes ?? 0)}::int[],
                  ${column(({ object }) => object?.storeId ?? null)}::uuid[],
                  ${column(({ object }) => object?.name ?? null)}::text[],
                  ${column(({ storedAt }) => storedAt)}::timestamptz[])
        AS given(message_id, domain_id, state, reason, raw_bytes, stored_bytes, store_id, object_name, stored_at)
     ORDER BY message_id, object_name NULLS LAST
    ON CONFLICT (message_id) DO UPDATE SET
      state = EXCLUDED.state, reason = EXCLUDED.reason, raw_bytes = EXCLUDED.raw_bytes,
      stored_bytes = EXCLUDED.stored_bytes, store_id = EXCLUDED.store_id, object_name = EXCLUDED.object_name,
      stored_at = EXCLUDED.stored_at
      WHERE known.state = 'not_kept'`;
}
