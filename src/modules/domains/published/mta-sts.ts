import { createHash } from 'node:crypto';
import type { Domain } from '../schema';

export type PublishedDomain = { name: string; mtaStsMode: Domain['mta_sts_mode']; mailHost: string };

export const MTA_STS_PATH = '/.well-known/mta-sts.txt';

const DAY_SECONDS = 86_400;
const MAX_AGE_SECONDS = { none: DAY_SECONDS, testing: DAY_SECONDS, enforce: 14 * DAY_SECONDS };
const ID_LENGTH = 20;

/** The policy file (RFC 8461, 3.2). Mode none revokes a policy that other servers still keep. */
export function mtaStsPolicy({ mtaStsMode, mailHost }: PublishedDomain): string {
  const lines = ['version: STSv1', `mode: ${mtaStsMode}`, `mx: ${mailHost}`, `max_age: ${MAX_AGE_SECONDS[mtaStsMode]}`];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** The value of the TXT record, whose id changes with the policy, so that other servers fetch it again. */
export function mtaStsRecordValue(policy: string): string {
  return `v=STSv1; id=${createHash('sha256').update(policy).digest('hex').slice(0, ID_LENGTH)};`;
}
