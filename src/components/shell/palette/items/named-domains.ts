import { type Directory, type Domain, MAX_PER_KIND } from './item';

export type Named = { domain: Domain; rest: string };

/**
 * Returns the domains that the words may be about, each with the words that ask for something of it: all of them for the current
 * domain, and for others those beside the start of its name.
 */
export function namedDomains(text: string, { currentDomain, domains }: Directory): Named[] {
  if (text === '') return [];
  const words = text.split(/\s+/);
  const named = domains.flatMap((domain) => [
    ...(domain.name.startsWith(words[0] ?? '') ? [{ domain, rest: words.slice(1).join(' ') }] : []),
    ...(domain.name.startsWith(words.at(-1) ?? '') ? [{ domain, rest: words.slice(0, -1).join(' ') }] : []),
  ]);
  return [
    ...(currentDomain ? [{ domain: currentDomain, rest: text }] : []),
    ...named.filter(({ rest }) => rest !== '').slice(0, MAX_PER_KIND),
  ];
}
