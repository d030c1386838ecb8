import type { ReportSender } from '../reading/authentication';

export type StoreOptions = {
  domainId: string;
  source: 'mail' | 'upload';
  /** Who sent the report by mail. */
  sender: ReportSender | null;
  at: Date;
};
