export type StoredObject = { name: string; bytes: number; storedAt: Date };

/** Stores bytes by name, outside the database. Every call ends within its deadline. @throws StoreError */
export type ObjectStore = {
  /** For log and alerts, without credentials. */
  label: string;
  /** The bytes may be moved elsewhere, so they are gone afterwards. */
  put: (name: string, bytes: Uint8Array) => Promise<void>;
  /** Stores a UUID under a name that has nothing yet. Several at once agree on one. */
  putId: (name: string) => Promise<void>;
  /** Null if it is not there. */
  get: (name: string, maxBytes: number) => Promise<Uint8Array | null>;
  /** Missing ones count as removed. */
  remove: (names: readonly string[]) => Promise<void>;
  /** Everything, folder by folder. */
  list: () => AsyncIterable<StoredObject>;
};

/** absent: what is there is not the store. */
export type StoreFailure = 'full' | 'away' | 'absent';

export class StoreError extends Error {
  override name = 'StoreError';

  constructor(
    readonly failure: StoreFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const DEADLINE_MS = 10_000;
const SLOWEST_BYTES_PER_MS = 2_000;

/** Ends a call that hangs, such as one to a network file system, which can't be aborted. */
export async function withDeadline<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { bytes = 0, deadlineMs = DEADLINE_MS } = {},
): Promise<Result> {
  const aborter = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const end = () => {
      reject(new StoreError('away', 'The content store did not respond in time.'));
      aborter.abort();
    };
    timer = setTimeout(end, deadlineMs + bytes / SLOWEST_BYTES_PER_MS);
  });
  try {
    return await Promise.race([work(aborter.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
