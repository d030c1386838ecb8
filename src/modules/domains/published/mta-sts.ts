import { createHash } from 'node:crypto';
import type { Domain } from '../schema';

export type PublishedDomain = {
  name: string;
  mtaStsMode: Domain['mta_sts_mode'];
  mailHost: string;
  otherMxHosts: readonly string[];
};

export const MTA_STS_PATH = '/.well-known/mta-sts.txt';

const DAY_SECONDS = 86_400;
const MAX_AGE_SECONDS = { none: DAY_SECONDS, testing: DAY_SECONDS, enforce: 14 * DAY_SECONDS };
const ID_LENGTH = 20;

/** The MX hosts that other servers may deliver to. */
export function mtaStsHosts({ mailHost, otherMxHosts }: Pick<PublishedDomain, 'mailHost' | 'otherMxHosts'>): string[] {
  return [...new Set([mailHost, ...otherMxHosts])];
}

/** The policy file (RFC 8461, 3.2). Mode none revokes a policy that other servers still keep. */
export function mtaStsPolicy(domain: PublishedDomain): string {
  const { mtaStsMode } = domain;
  const hosts = mtaStsHosts(domain).map((host) => `mx: ${host}`);
  const lines = ['version: STSv1', `mode: ${mtaStsMode}`, ...hosts, `max_age: ${MAX_AGE_SECONDS[mtaStsMode]}`];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** The value of the TXT record, whose id changes with the policy, so that other servers fetch it again. */
export function mtaStsRecordValue(policy: string): string {
  return `v=STSv1; id=${createHash('sha256').update(policy).digest('hex').slice(0, ID_LENGTH)};`;
}
