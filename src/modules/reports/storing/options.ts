import type { ReportSender } from '../reading/authentication';
import type { Fingerprint } from './fingerprint';

export type StoreOptions = {
  domainId: string;
  source: 'mail' | 'upload';
  /** Who sent the report by mail. */
  sender: ReportSender | null;
  at: Date;
};

/** For a report that isn't stored yet. */
export type NewReport = StoreOptions & { fingerprint: Fingerprint };
