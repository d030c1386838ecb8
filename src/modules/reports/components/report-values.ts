import type { DropReason } from '../schema';

export const DROP_REASONS: Record<DropReason, string> = {
  too_large: 'It is larger than the limits for reports.',
  duplicate: 'It was stored before.',
  foreign_domain: 'It is about a domain that isn’t managed here.',
  malformed: 'It isn’t a readable report of this kind.',
  unreadable: 'The mail has no report that can be recognized.',
  out_of_range: 'It covers a time in the future, or one longer ago than reports are kept.',
  too_many: 'The domain got more reports that day than are stored.',
  error: 'Storing it failed. The log says why.',
};
