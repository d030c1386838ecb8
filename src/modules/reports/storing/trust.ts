import { parseAddress } from '@/lib/mail/address';
import { organizationOf } from '@/lib/mail/organization';
import type { ParsedReport } from '../reading/report';
import type { StoreOptions } from './options';

/**
 * Whether a report weighs in the recommended policy: an admin uploaded it, or the mail server confirmed that the organization sent
 * it that the report names. Anybody can write the name of another into a report.
 */
export function isTrusted({ organisation, contact }: ParsedReport, { source, sender }: StoreOptions): boolean {
  if (source === 'upload') return true;
  if (!sender?.isAuthenticated) return false;
  const named = parseAddress(contact)?.domain ?? organisation.toLowerCase();
  return organizationOf(named) === sender.domain;
}
