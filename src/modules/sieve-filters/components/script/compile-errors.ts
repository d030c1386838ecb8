import type { Problem } from '@/components/api/problem';
import type { SieveVerdict } from '../../schema';

/** The compiler errors in the response to a rejected save, or null for other errors. */
export function verdictOf({ code, details }: Problem): SieveVerdict | null {
  if (code !== 'VALIDATION_ERROR' || !Array.isArray(details.errors)) return null;
  return { valid: false, errors: details.errors as SieveVerdict['errors'] };
}
