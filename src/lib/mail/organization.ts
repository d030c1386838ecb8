import { getDomain } from 'tldts';

/** The registered domain that a host belongs to, by the Public Suffix List; the host itself if there is none. */
export function organizationOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}

/** Whether both hosts belong to one organization, as relaxed alignment of DMARC asks. */
export function isSameOrganization(one: string, other: string): boolean {
  return organizationOf(one) === organizationOf(other);
}
