export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const;
export type DmarcPolicy = (typeof DMARC_POLICIES)[number];

/** Where a record applies: at its own domain, at a domain below, or at one below that has no mail server and no address. */
export type DmarcPlace = 'own' | 'below' | 'nonexistent';

type PolicyTag = 'p' | 'sp' | 'np';

/** The tags that hold for a domain, the most specific first. */
const TAGS: Record<DmarcPlace, readonly PolicyTag[]> = {
  own: ['p'],
  below: ['sp', 'p'],
  nonexistent: ['np', 'sp', 'p'],
};

/** Whether a TXT record is one of DMARC. */
export function isDmarc(value: string): boolean {
  return /^v\s*=\s*DMARC1\s*(;|$)/.test(value);
}

/** The policy that one tag of a record names. Null without a valid one. */
export function policyIn(tags: ReadonlyMap<string, string>, tag: PolicyTag): DmarcPolicy | null {
  const value = tags.get(tag)?.toLowerCase();
  return DMARC_POLICIES.find((policy) => policy === value) ?? null;
}

const REPORT_URI = /^mailto:[^@\s,;!]+@[^@\s,;!]+/i;

/**
 * The policy that a record asks for, and the tag that says so. A record without a valid `p`, or with an invalid `sp` or `np`, asks for
 * reports only, if it names a valid address for them; otherwise receiving servers ignore it, which is null (RFC 9989).
 */
export function appliedPolicy(
  tags: ReadonlyMap<string, string>,
  place: DmarcPlace,
): { policy: DmarcPolicy; tag: PolicyTag } | null {
  const isValid =
    policyIn(tags, 'p') !== null && (['sp', 'np'] as const).every((tag) => !tags.has(tag) || policyIn(tags, tag));
  if (!isValid) {
    const hasReports = (tags.get('rua') ?? '').split(',').some((uri) => REPORT_URI.test(uri.trim()));
    return hasReports ? { policy: 'none', tag: 'p' } : null;
  }
  for (const tag of TAGS[place]) {
    const policy = policyIn(tags, tag);
    if (policy) return { policy, tag };
  }
  return null;
}
