import { formatCount } from '@/lib/format';
import type { DmarcSource } from './schema';

type Judged = Pick<
  DmarcSource,
  'is_ours' | 'messages' | 'aligned' | 'unknown' | 'dkim_aligned' | 'dkim_domains' | 'spf_domains'
>;

/** Returns advice about a source: one that ever passes, or is ours, sends for the domain; other sources do not. */
export function adviceOn(source: Judged): Pick<DmarcSource, 'advice' | 'reason'> {
  const { is_ours, messages, aligned, unknown } = source;
  const failed = messages - aligned - unknown;
  if (failed === 0 && aligned > 0) return { advice: 'keep', reason: passing(source) };
  if (failed === 0) return { advice: 'keep', reason: 'The reports don’t say whether its mail passes.' };
  if (aligned === 0 && !is_ours) return { advice: 'block', reason: `None of its mail passes. ${hintOf(source)}` };
  const share = `${formatCount(failed)} of ${formatCount(messages)} messages fail.`;
  if (is_ours) return { advice: 'fix', reason: `Your mail server sends from here, but ${share} Check DKIM and SPF.` };
  return {
    advice: 'fix',
    reason: `It sends for you, but ${share} A forwarder breaks SPF and can’t be fixed; mail that it doesn’t change passes by DKIM.`,
  };
}

function passing({ messages, dkim_aligned, unknown }: Judged): string {
  if (dkim_aligned >= messages - unknown) return 'All of its mail passes.';
  if (dkim_aligned === 0) return 'All of its mail passes by SPF, none by DKIM. Forwarded mail fails without DKIM.';
  return 'All of its mail passes, some of it by SPF only. Forwarded mail fails without DKIM.';
}

function hintOf({ dkim_domains: [signer], spf_domains: [sender] }: Judged): string {
  const domain = signer ?? sender;
  if (!domain) return 'It uses your domain without permission, or is a service that you have not set up.';
  return `It identifies as ${domain}. If you use this service, set it up to sign with your domain.`;
}
