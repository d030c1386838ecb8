import type { Status } from '@/components/marks/status-mark';

export type AttentionRow = {
  key: string;
  status: Status;
  label: string;
  /** The kind of the object. */
  object: string;
  subject: string;
  reason: string;
  href: string;
  action: string;
  /** Since when, if that is known. */
  at: string | null;
  /** How many objects the row stands for, if they are several. */
  count?: number;
};
