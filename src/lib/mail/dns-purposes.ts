/** In the order in which they are shown. */
export const DNS_PURPOSES = [
  'mx',
  'spf',
  'dkim',
  'dmarc',
  'mta_sts',
  'tls_rpt',
  'host',
  'ptr',
  'host_spf',
  'starttls',
  'dane',
  'dnssec',
  'caa',
  'ns',
  'srv',
  'autoconfig',
  'autodiscover',
  'blocklist',
  'ownership',
] as const;

/** The purposes that are compared over all domains. The others are those of the host, or optional. */
export const DNS_STATE_PURPOSES = ['mx', 'spf', 'dkim', 'dmarc', 'mta_sts', 'tls_rpt'] as const;

/** The problems by which domains are filtered: with records of a purpose, or in reports. */
export const DNS_STATE_PROBLEMS = [...DNS_STATE_PURPOSES, 'dmarc_failures', 'tls_failures'] as const;

export type DnsPurpose = (typeof DNS_PURPOSES)[number];

type Purpose = {
  label: string;
  /** The purpose of the record, in a few words. */
  does: string;
  /** The reason to have the record: its effect, or what happens while it is missing or wrong. */
  why: string;
  /** It is a check rather than a record, so it passes instead of being found. */
  isCheck?: boolean;
};

/** Texts about the purposes of a domain's DNS records and checks. */
export const DNS_PURPOSE_TEXTS: Record<DnsPurpose, Purpose> = {
  mx: {
    label: 'MX',
    does: 'Brings mail here',
    why: 'Other servers deliver mail for the domain to the server that this record names.',
  },
  spf: {
    label: 'SPF',
    does: 'Lets this server send',
    why: 'Receiving servers compare the sending address with this record. Mail that fails is rejected or filed as spam.',
  },
  dkim: {
    label: 'DKIM',
    does: 'Verifies your signatures',
    why: 'Receiving servers verify the signature of each message with this key. Mail that fails is rejected or filed as spam.',
  },
  dmarc: {
    label: 'DMARC',
    does: 'Policy for forged mail',
    why: 'It tells receiving servers what to do with mail that claims to be from the domain but isn’t. Large providers require it.',
  },
  mta_sts: {
    label: 'MTA-STS',
    does: 'Requires TLS inbound',
    why: 'Other servers then deliver mail to you over verified TLS only, so that nobody on the way can read it.',
  },
  tls_rpt: {
    label: 'TLS reports',
    does: 'Reports TLS failures',
    why: 'Other servers then report when they couldn’t deliver to you over TLS.',
  },
  starttls: {
    label: 'TLS on port 25',
    does: 'Encrypts inbound mail',
    why: 'Without a valid certificate, other servers can’t verify that they deliver to your server.',
    isCheck: true,
  },
  dane: {
    label: 'DANE',
    does: 'Pins the certificate',
    why: 'Servers that support DANE refuse to deliver if the record doesn’t match the certificate.',
  },
  dnssec: {
    label: 'DNSSEC',
    does: 'Signs the zone',
    why: 'Signed answers can’t be forged on the way. DANE needs it.',
    isCheck: true,
  },
  caa: {
    label: 'CAA',
    does: 'Limits who certifies',
    why: 'Only the certificate authorities in this record may issue certificates for the name.',
  },
  ns: {
    label: 'Name servers',
    does: 'Answer for the domain',
    why: 'If they answer differently, or not at all, mail works for some senders only.',
    isCheck: true,
  },
  autoconfig: {
    label: 'Autoconfig',
    does: 'Sets up Thunderbird',
    why: 'Thunderbird then finds the servers and ports by itself.',
  },
  autodiscover: {
    label: 'Autodiscover',
    does: 'Sets up Outlook',
    why: 'Outlook then finds the servers and ports by itself.',
  },
  blocklist: {
    label: 'Blocklists',
    does: 'Lists of spam sources',
    why: 'Many servers reject mail from addresses and domains on these lists.',
    isCheck: true,
  },
  host: {
    label: 'Host address',
    does: 'Address of this server',
    why: 'Nobody reaches the mail server without it.',
  },
  ptr: {
    label: 'Reverse DNS',
    does: 'Names this server',
    why: 'Many servers reject mail from an address without a matching name. It is set at the provider of the server.',
  },
  host_spf: {
    label: 'SPF of this server',
    does: 'Lets this server send bounces',
    why: 'Receiving servers compare the sending address with it for bounces, and for mail of domains whose MX is elsewhere.',
  },
  srv: {
    label: 'SRV',
    does: 'Sets up mail programs',
    why: 'Mail programs then find the servers and ports by themselves.',
  },
  ownership: {
    label: 'Ownership',
    does: 'Proves it is yours',
    why: 'Mail works without it.',
  },
};

/** Says what is wrong with DNS records, by the message of the first one. */
export function brokenRecordsText(message: string, count: number): string {
  if (count === 1) return message;
  return `${message} ${count - 1} more ${count === 2 ? 'record needs' : 'records need'} a fix.`;
}
