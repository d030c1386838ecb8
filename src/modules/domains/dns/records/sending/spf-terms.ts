import ipaddr from 'ipaddr.js';
import type { Resolver } from '@/server/dns/resolver';
import { valuesOf } from '../record';

export type TermProblem = { term: string; why: string; fix: string };

const RECORD = /^v=spf1( |$)/i;
// As many as a record may have that is evaluated at all, and no more, whatever somebody publishes.
const MAX_TERMS = 100;
const MAX_LOOKUPS = 20;
const MACRO = /%(?:\{[slodiphcrtv]\d*r?[.\-+,/_=]*\}|%|_|-)/gi;

/** Whether a value is an SPF record. */
export function isSpf(value: string): boolean {
  return RECORD.test(value);
}

/** The record without the dots at the end of names, which are valid (RFC 7208, 7.1) and which the evaluation doesn't know. */
export function withoutTrailingDots(record: string): string {
  return record.replace(/(\s[+?~-]?(?:a|mx|ptr|exists|include):[^\s/]+)\.(?=[\s/]|$)/gi, '$1');
}

/** The first term that isn't valid as it is written (RFC 7208, 12). */
export function syntaxProblem(record: string): TermProblem | null {
  const seen = new Set<string>();
  for (const term of termsOf(record)) {
    const found = modifierProblem(term, seen) ?? mechanismProblem(term);
    if (found) return { term, ...found };
  }
  return null;
}

/** The term that makes a record invalid, also by what the name in it publishes. @throws LookupFailed */
export async function termProblem(record: string, resolver: Resolver): Promise<TermProblem | null> {
  let lookups = 0;
  const seen = new Set<string>();

  async function inside(text: string): Promise<TermProblem | null> {
    const problem = syntaxProblem(text);
    if (problem) return problem;
    for (const term of termsOf(text)) {
      const target = targetOf(term);
      if (target === null || seen.has(target) || lookups >= MAX_LOOKUPS) continue;
      seen.add(target);
      lookups += 1;
      const records = (await valuesOf(resolver, target, 'TXT')).filter(isSpf);
      const [first] = records;
      if (first === undefined) {
        return { term, why: `${target} has no SPF record`, fix: 'Remove the term, or correct its name.' };
      }
      if (records.length > 1) {
        return {
          term,
          why: `${target} has ${records.length} SPF records`,
          fix: `Ask the owner of ${target} to keep one.`,
        };
      }
      const nested = await inside(first);
      if (nested) {
        const why = `the record of ${target} is invalid at ${nested.term}: ${nested.why}`;
        return { term, why, fix: `Remove the term, or ask the owner of ${target} to correct the record.` };
      }
    }
    return null;
  }
  return inside(record);
}

function termsOf(record: string): string[] {
  return record.trim().split(/ +/).slice(1, MAX_TERMS);
}

/** The name whose SPF record a term refers to, unless that depends on the mail. */
function targetOf(term: string): string | null {
  const [, name] = /^(?:[+?~-]?include:|redirect=)(\S+)$/i.exec(term) ?? [];
  return name && !name.includes('%') ? name.replace(/\.$/, '').toLowerCase() : null;
}

type Problem = Omit<TermProblem, 'term'>;

function problem(why: string, fix = 'Correct or remove the term.'): Problem {
  return { why, fix };
}

function modifierProblem(term: string, seen: Set<string>): Problem | null {
  const [, name, value = ''] = /^([a-z][a-z0-9._-]*)=(.*)$/i.exec(term) ?? [];
  const key = name?.toLowerCase();
  if (key !== 'redirect' && key !== 'exp') return null;
  if (seen.has(key)) return problem(`${key} may be there once`, `Keep one ${key} term.`);
  seen.add(key);
  return nameProblem(value);
}

function mechanismProblem(term: string): Problem | null {
  if (/[\x00-\x1f\x7f]/.test(term)) return problem('it has a tab or another control character', 'Put a space there.');
  if (/[^\x21-\x7e]/.test(term)) return problem('it has a character that isn’t ASCII');
  if (/^[a-z][a-z0-9._-]*=/i.test(term)) return null;
  const [, name = '', rest = ''] = /^[+?~-]?([^:/]*)(.*)$/.exec(term) ?? [];
  switch (name.toLowerCase()) {
    case 'all':
      return rest === '' ? null : problem('all has nothing after it', 'End the record with -all.');
    case 'include':
    case 'exists':
      return nameProblem(rest.replace(/^:/, ''));
    case 'ptr':
      return rest === '' ? null : nameProblem(rest.replace(/^:/, ''));
    case 'a':
    case 'mx':
      return hostProblem(rest);
    case 'ip4':
    case 'ip6':
      return rangeProblem(name.toLowerCase() as 'ip4' | 'ip6', rest.replace(/^:/, ''));
    default:
      return unknownProblem(term, name);
  }
}

function unknownProblem(term: string, name: string): Problem {
  if (ipaddr.isValid(term) || ipaddr.isValidCIDR(term)) {
    const family = term.includes(':') ? 'ip6' : 'ip4';
    return problem('an address needs ip4 or ip6', `Change it to ${family}:${term}.`);
  }
  const known = { ipv4: 'ip4', ipv6: 'ip6', ip: 'ip4', includes: 'include', inlcude: 'include', host: 'a' };
  const meant = Object.hasOwn(known, name.toLowerCase()) ? known[name.toLowerCase() as keyof typeof known] : null;
  return problem('SPF has no such term', meant ? `Write ${meant} in place of ${name}.` : undefined);
}

/** Returns the problem with the text after `a` or `mx`: a name, and lengths of IPv4 and IPv6 prefixes. */
function hostProblem(rest: string): Problem | null {
  const parts = /^(:[^/]*)?(?:\/(0|[1-9]\d{0,2}))?(?:\/\/(0|[1-9]\d{0,2}))?$/.exec(withoutMacros(rest));
  if (!parts) return problem('what follows the name isn’t the length of a prefix');
  const [, name, four, six] = parts;
  if (Number(four ?? 0) > 32 || Number(six ?? 0) > 128) return problem('the prefix is too long');
  return name === undefined ? null : nameProblem(name.slice(1));
}

function rangeProblem(name: 'ip4' | 'ip6', text: string): Problem | null {
  const family = name === 'ip4' ? 'IPv4' : 'IPv6';
  const [address = '', length, ...others] = text.split('/');
  const isValid = name === 'ip4' ? ipaddr.IPv4.isValidFourPartDecimal(address) : isIpv6(address);
  if (!isValid) {
    const other = name === 'ip4' ? isIpv6(address) : ipaddr.IPv4.isValidFourPartDecimal(address);
    const fix = other ? `Write ${name === 'ip4' ? 'ip6' : 'ip4'} in place of ${name}.` : undefined;
    return problem(`${address || 'nothing'} isn’t an ${family} address`, fix);
  }
  if (others.length > 0 || (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/.test(length)))
    return problem('what follows the address isn’t the length of a prefix');
  return Number(length ?? 0) > (name === 'ip4' ? 32 : 128) ? problem('the prefix is too long') : null;
}

function isIpv6(text: string): boolean {
  return ipaddr.IPv6.isValid(text) && text.includes(':') && !text.includes('%');
}

/** With a name in the place of each macro, which stands for one. */
function withoutMacros(text: string): string {
  return text.replace(MACRO, 'm.mm');
}

/** A name of two labels or more. */
function nameProblem(text: string): Problem | null {
  if (text === '') return problem('it names no domain');
  const literal = withoutMacros(text);
  if (literal.includes('%')) return problem('it has an invalid macro');
  const labels = literal.replace(/\.$/, '').split('.');
  if (labels.some((label) => label === '' || label.length > 63)) return problem(`${text} isn’t a domain name`);
  if (ipaddr.IPv4.isValidFourPartDecimal(text))
    return problem(`${text} is an address`, `Change the term to ip4:${text}.`);
  const top = labels.at(-1) ?? '';
  const isTop = /^(?=.*[a-z-])[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i.test(top);
  return labels.length < 2 || !isTop ? problem(`${text} isn’t a full domain name`) : null;
}
