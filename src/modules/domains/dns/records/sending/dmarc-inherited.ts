import { appliedPolicy, isDmarc } from '@/lib/mail/dmarc';
import type { Resolver } from '@/server/dns/resolver';
import { type Inherited, ok, tagsOf, valuesOf } from '../record';

type Found = { name: string; record: string; tags: Map<string, string> };

/** More labels than this are skipped, below the domain itself (RFC 9989, 4.10). */
const MAX_LABELS = 7;

/** The policy that applies to a domain without a record of its own. Null if there is none. @throws LookupFailed */
export async function inheritedPolicy(domain: string, resolver: Resolver): Promise<Inherited | null> {
  const found = await walk(domain, resolver);
  const chosen = choose(domain, found);
  if (!chosen) return null;
  const { name, record, tags } = chosen;
  const applied = appliedPolicy(tags, (await exists(domain, resolver)) ? 'below' : 'nonexistent');
  if (!applied) return null;
  const { policy, tag } = applied;
  const origin = `The domain has no DMARC record of its own. ${name}`;
  const shown = { found: [record], inherited_from: name, policy };
  if (policy === 'none') {
    const message = `${origin} has the policy none for it (${tag}): receiving servers deliver forged mail as usual.`;
    const fix = `Change ${tag}=none at _dmarc.${name} once the mail of its domains passes.`;
    return { ...shown, status: 'ok', severity: 'warning', message, fix };
  }
  return { ...shown, ...ok(`${origin} has the policy ${policy} for it (${tag}).`) };
}

/** Whether the domain has a mail server or an address, without which `np` holds for it. @throws LookupFailed */
async function exists(domain: string, resolver: Resolver): Promise<boolean> {
  for (const type of ['MX', 'A', 'AAAA'] as const) {
    if ((await valuesOf(resolver, domain, type)).length > 0) return true;
  }
  return false;
}

/** The records of the domains above, the closest first. */
async function walk(domain: string, resolver: Resolver): Promise<Found[]> {
  const found: Found[] = [];
  let labels = domain.split('.').slice(1);
  if (labels.length > MAX_LABELS) labels = labels.slice(-MAX_LABELS);
  for (; labels.length > 0; labels = labels.slice(1)) {
    const name = labels.join('.');
    const [record, another] = (await valuesOf(resolver, `_dmarc.${name}`, 'TXT')).filter(isDmarc);
    const tags = record === undefined || another !== undefined ? null : tagsOf(record);
    if (record === undefined || !tags) continue;
    found.push({ name, record, tags });
    if (isPsd(tags, 'y') || isPsd(tags, 'n')) break;
  }
  return found;
}

/** Returns the record of the organizational domain: one that says so, one below a public suffix that says so, or the shortest. */
function choose(domain: string, found: Found[]): Found | undefined {
  const last = found.at(-1);
  if (!last || !isPsd(last.tags, 'y')) return last;
  const count = last.name.split('.').length + 1;
  const organization = domain.split('.').slice(-count).join('.');
  return found.find(({ name }) => name === organization) ?? last;
}

function isPsd(tags: Map<string, string>, value: 'y' | 'n'): boolean {
  return tags.get('psd')?.toLowerCase() === value;
}
