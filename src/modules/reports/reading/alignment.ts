import { isSameOrganization } from '@/lib/mail/organization';

type Check = { domain: string; result: string };

type Checked = {
  checks: Check[];
  /** Whether no check means that it didn't pass: SPF is always checked, DKIM only if there is a signature. */
  isOptional: boolean;
  /** The domain in From. */
  from: string;
  /** `s` for strict. */
  mode: string | undefined;
};

const FAILED = /^(fail|hardfail|softfail|none|neutral|policy|permerror)$/i;

/**
 * Whether DKIM or SPF passed for the domain in From: as the report says, or else as its results of the check say. Null if
 * neither says so.
 */
export function alignmentOf(evaluated: string, { checks, isOptional, from, mode }: Checked): boolean | null {
  if (/^pass$/i.test(evaluated)) return true;
  if (FAILED.test(evaluated)) return false;
  if (checks.length === 0) return isOptional ? false : null;
  if (from === '') return null;
  const isStrict = mode?.toLowerCase() === 's';
  const isAligned = (domain: string) => (isStrict ? domain === from : isSameOrganization(domain, from));
  const passed = checks.filter(({ result }) => result === 'pass');
  if (passed.some(({ domain }) => domain !== '' && isAligned(domain))) return true;
  // One without its domain or result could be the one that passed.
  return passed.some(({ domain }) => domain === '') || checks.some(({ result }) => result === '') ? null : false;
}
