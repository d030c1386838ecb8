import type { Status } from '@/components/marks/status-mark';
import type { AttentionItem, AttentionSection } from '../schema';

export type AttentionRow = {
  key: string;
  /** What a row about an object is listed for. */
  kind?: AttentionItem['kind'];
  section?: AttentionSection;
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
  /** Objects of the same kind that have no row. */
  more?: { count: number; text: string; href: string }[];
};
