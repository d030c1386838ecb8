import type { Problem } from '@/components/api/problem';
import type { SieveVerdict } from '../schema';

/** What the compiler said of a script that was not saved. */
export function refusalIn({ code, details }: Problem): SieveVerdict | null {
  if (code !== 'VALIDATION_ERROR' || !Array.isArray(details.errors)) return null;
  return { valid: false, errors: details.errors as SieveVerdict['errors'] };
}
