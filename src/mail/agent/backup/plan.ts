/** How the app has mail backed up. */
export type MailBackupPlan = {
  /** Password of the repository: the private key that opens the database's archives, or the passphrase. */
  password: string;
  /** Null: a folder in the mail server's DATA_DIR. */
  target: BackupTarget | null;
  /** Credentials for the bucket. */
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** When the next backup after a moment is due; null without a schedule. */
  schedule: { time: string } | null;
  keep: { daily: number; weekly: number; monthly: number };
};

export type BackupTarget =
  | { kind: 'file'; folder: string }
  | { kind: 's3'; bucket: string; prefix: string; endpoint: string | undefined; region: string; style?: 'virtual' };

export type Snapshot = {
  id: string;
  takenAt: Date;
  /** Known of the one that was just taken. */
  sizes: { bytesAdded: number; bytes: number; files: number } | null;
};

/** The records about the backups of its host that the agent reads and writes. */
export type BackupRecords = {
  /** Null until the app has written it. */
  plan: () => Promise<MailBackupPlan | null>;
  /** Where the backups were when there last was one; null before the first. */
  knownRepository: () => Promise<string | null>;
  /** @param snapshots all that are in the repository */
  saveSnapshots: (repository: string, snapshots: Snapshot[], latest: Snapshot | null) => Promise<void>;
  /** The last backup is whole. */
  saveSuccess: () => Promise<void>;
  saveFailure: (message: string) => Promise<void>;
  /** @param failure REPOSITORY_DAMAGED, or why it couldn’t be checked; empty if nothing is damaged */
  saveCheck: (failure: string) => Promise<void>;
};
