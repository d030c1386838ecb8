import type { DmarcPolicy } from '@/lib/mail/dmarc';
import type { DmarcRow } from '@/modules/reports/reading/report';
import type { Random } from '../random';

/** `share` is the part of all mail that goes there. */
export type Organisation = { name: string; contact: string; share: number; sendsTls: boolean };

export const ORGANISATIONS: readonly Organisation[] = [
  { name: 'northmail.example', contact: 'noreply-dmarc@northmail.example', share: 0.5, sendsTls: true },
  { name: 'Skyline Outbound', contact: 'dmarcreport@skyline.example', share: 0.3, sendsTls: true },
  { name: 'Meridian Mail', contact: 'dmarc@meridian-mail.example', share: 0.15, sendsTls: false },
];

type Source = {
  ip: string;
  hostname: string | null;
  organisation: string | null;
  /** Messages per day. */
  daily: number;
  /** On which days it sends. */
  sends: (age: number) => boolean;
  /** Whether mail of the domain passes by DKIM and by SPF. */
  passes: (about: { index: number; age: number; roll: number }) => { dkim: boolean; spf: boolean };
  signer?: string;
  sender?: string;
};

export const SOURCES: readonly Source[] = [
  {
    ip: '198.51.100.24',
    hostname: 'mail.postroom.example',
    organisation: 'postroom.example',
    daily: 620,
    sends: () => true,
    // The second domain published an old DKIM key two days ago.
    passes: ({ index, age }) => ({ dkim: !(index === 1 && age <= 2), spf: true }),
  },
  {
    ip: '203.0.113.61',
    hostname: 'out7.letterbird.example',
    organisation: 'letterbird.example',
    daily: 340,
    sends: (age) => age % 7 === 3,
    // The third domain signs its newsletter in part only.
    passes: ({ index, roll }) => ({ dkim: index !== 2 || roll < 0.4, spf: false }),
    sender: 'bounces.letterbird.example',
  },
  {
    ip: '203.0.113.202',
    hostname: 'fwd3.alumni-forward.example',
    organisation: 'alumni-forward.example',
    daily: 9,
    sends: () => true,
    passes: ({ roll }) => ({ dkim: roll < 0.85, spf: false }),
    sender: 'alumni-forward.example',
  },
  {
    ip: '192.0.2.177',
    hostname: null,
    organisation: null,
    daily: 26,
    sends: (age) => age % 5 < 2,
    passes: () => ({ dkim: false, spf: false }),
  },
  {
    ip: '2001:db8:77::25',
    hostname: 'vps-19.cheap-hosting.example',
    organisation: 'cheap-hosting.example',
    daily: 44,
    sends: (age) => age > 15 && age < 20,
    passes: () => ({ dkim: false, spf: false }),
    sender: 'cheap-hosting.example',
  },
];

type About = { domain: string; index: number; age: number; share: number; policy: DmarcPolicy };

/** Returns the rows about mail with the domain's name that an organisation received on a day. */
export function rowsOf(random: Random, { domain, index, age, share, policy }: About): DmarcRow[] {
  return SOURCES.flatMap((source) => {
    const messages = Math.round((source.daily * share * random.int(70, 130)) / 100 / (index + 1));
    if (!source.sends(age) || messages === 0) return [];
    const passes = source.passes({ index, age, roll: random.next() });
    return [rowOf(source, { domain, messages, passes, policy })];
  });
}

type Row = { domain: string; messages: number; passes: { dkim: boolean; spf: boolean }; policy: DmarcPolicy };

function rowOf({ ip, signer, sender }: Source, { domain, messages, passes, policy }: Row): DmarcRow {
  const isSigned = passes.dkim || signer !== undefined;
  return {
    ip,
    messages,
    disposition: passes.dkim || passes.spf ? 'none' : policy,
    isDkimAligned: passes.dkim,
    isSpfAligned: passes.spf,
    headerFrom: domain,
    envelopeFrom: sender ?? domain,
    envelopeTo: null,
    dkim: isSigned ? [{ domain: signer ?? domain, selector: 'pr2025b', result: 'pass' }] : [],
    spf: [{ domain: sender ?? domain, result: passes.spf || sender ? 'pass' : 'fail' }],
    reasons: [],
  };
}
