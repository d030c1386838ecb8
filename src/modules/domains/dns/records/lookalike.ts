import { mismatch, type Verdict, type Version } from './record';

type Severity = Parameters<typeof mismatch>[0];

const QUOTES = /["'“”„‘’]/;

/** Where no white space may be around the equals sign (RFC 7208, 4.5; RFC 8461, 3.1). */
const RIGHT: Partial<Record<Version, string>> = { spf1: '^v=spf1( |$)', STSv1: '^v=STSv1\\s*(;|$)' };

/** Returns the verdict on a value that is meant as such a record and that other servers ignore. Null for another kind of value. */
export function lookalike(value: string, version: Version, severity: Severity): Verdict | null {
  const cleaned = value.replaceAll('\\', '').replaceAll(new RegExp(QUOTES, 'g'), '').trim();
  const isRight = new RegExp(RIGHT[version] ?? `^v\\s*=\\s*${version}\\s*(;|$)`).test(value);
  const rest = restOf(cleaned, version);
  if (rest === null || (isRight && cleaned === value.trim())) return null;
  const begin = version === 'spf1' ? `v=${version} ` : `v=${version}; `;
  const right = (begin + divided(rest, version)).trim();
  return mismatch(severity, `Other servers ignore the record: ${problemOf(value, version)}`, `Change it to ${right}`);
}

/** The record without its version, which may be another one, or not at the start. Null without a version. */
function restOf(cleaned: string, version: Version): string | null {
  const kind = version.replace(/v?\d+$/, '');
  const start = new RegExp(
    `^(?:(?:v\\s*=?\\s*)?${version}|v\\s*=\\s*${kind}v?\\d*(?:\\.\\d+)?)(?![a-z0-9/.])[;:,\\s]*`,
    'i',
  );
  if (start.test(cleaned)) return cleaned.replace(start, '');
  const later = laterVersion(version);
  return later.test(cleaned) ? cleaned.replace(later, '$1').replace(/;\s*$/, '') : null;
}

function laterVersion(version: Version): RegExp {
  return new RegExp(`${version === 'spf1' ? '(\\s)\\s*' : '(;\\s*)'}v\\s*=\\s*${version}\\s*(?:;\\s*|\\s|$)`, 'i');
}

/** Tags without semicolons get them, and terms of SPF lose their commas. */
function divided(rest: string, version: Version): string {
  if (version === 'spf1') return rest.replace(/[,;]+(?=\s|$)/g, '').replace(/\s+/g, ' ');
  return rest.includes(';') ? rest : rest.replace(/[,\s]+(?=[a-z]{1,10}=)/gi, '; ');
}

function problemOf(value: string, version: Version): string {
  if (QUOTES.test(value)) return 'the quotes are part of it.';
  if (value.includes('\\')) return 'the backslashes are part of it.';
  if (/^\s/.test(value)) return 'it begins with a space.';
  const [, given] = /^v\s*=\s*([a-z]+\d*(?:\.\d+)?)/i.exec(value) ?? new RegExp(`(${version})`, 'i').exec(value) ?? [];
  if (given?.toLowerCase() === version.toLowerCase() && given !== version && version !== 'spf1')
    return `it says ${given}, and only ${version} in this case counts.`;
  if (given !== undefined && given.toLowerCase() !== version.toLowerCase())
    return `it says ${given}, and only ${version} counts.`;
  return `it doesn’t begin with v=${version}${version === 'spf1' ? ' and a space' : ';'}.`;
}
