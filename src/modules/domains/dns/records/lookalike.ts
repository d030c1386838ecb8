import { mismatch, type Verdict, type Version } from './record';

type Severity = Parameters<typeof mismatch>[0];

const QUOTES = /["'“”„‘’]/;

/** What is wrong with a value that is meant as such a record and that others ignore. Null for another kind of value. */
export function lookalike(value: string, version: Version, severity: Severity): Verdict | null {
  const cleaned = value.replaceAll('\\', '').replaceAll(new RegExp(QUOTES, 'g'), '').trim();
  const start = new RegExp(`^(v\\s*=?\\s*)?${version}(?![a-z0-9])[;,\\s]*`, 'i');
  const isRight = new RegExp(`^v\\s*=\\s*${version}${version === 'spf1' ? '(\\s|$)' : '\\s*(;|$)'}`).test(value);
  if (!start.test(cleaned) || (isRight && cleaned === value.trim())) return null;
  const begin = version === 'spf1' ? `v=${version} ` : `v=${version}; `;
  const right = cleaned.replace(start, begin).trim();
  return mismatch(severity, `Other servers ignore the record: ${problemOf(value, version)}`, `Change it to ${right}`);
}

function problemOf(value: string, version: Version): string {
  if (QUOTES.test(value)) return 'the quotes are part of it.';
  if (value.includes('\\')) return 'the backslashes are part of it.';
  if (/^\s/.test(value)) return 'it begins with a space.';
  const [given] = new RegExp(version, 'i').exec(value) ?? [];
  if (given !== version && version !== 'spf1') return `it says ${given}, and only ${version} in this case counts.`;
  return `it doesn’t begin with v=${version}${version === 'spf1' ? ' and a space' : ';'}.`;
}
