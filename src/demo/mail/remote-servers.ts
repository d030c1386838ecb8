import { newQueueId } from '@/mail/sandbox/queue-id';
import { DELETED, EXPIRED, finalReply } from '@/modules/messages/tracking/failure-reason';
import { localPartOf, randomPerson } from '../directory/names';
import type { Random, Weighted } from '../random';
import type { Reply } from './demo-message';

type Server = { domain: string; mta: string; style: 'postfix' | 'exchange' | 'webmail' };

export type Correspondent = { address: string; name: string; server: Server };

/** A mistyped domain: everything bounces. */
export const MISSPELT_DOMAIN = 'fastposst.example';

/** Mail providers of customers and partners. */
const SERVERS: Weighted<Server> = [
  [{ domain: 'fastpost.example', mta: 'mx1.fastpost.example', style: 'webmail' }, 24],
  [{ domain: 'inboxly.example', mta: 'mx-in.inboxly.example', style: 'webmail' }, 18],
  [{ domain: 'bluemail.example', mta: 'mta6.bluemail.example', style: 'webmail' }, 10],
  [{ domain: 'homenet.example', mta: 'mail.homenet.example', style: 'postfix' }, 9],
  [{ domain: 'citylink.example', mta: 'mx02.citylink.example', style: 'postfix' }, 6],
  [{ domain: 'university.example', mta: 'smtp-in.university.example', style: 'postfix' }, 5],
  [{ domain: 'bookworks.example', mta: 'bookworks-example.mail.suite365.example', style: 'exchange' }, 6],
  [{ domain: 'brandt-steel.example', mta: 'brandt-steel-example.mail.suite365.example', style: 'exchange' }, 5],
  [{ domain: 'cityhall.example', mta: 'cityhall-example.mail.suite365.example', style: 'exchange' }, 4],
  [{ domain: 'foundry-bank.example', mta: 'mailgate.foundry-bank.example', style: 'postfix' }, 4],
  [{ domain: 'parcelhub.example', mta: 'mx.parcelhub.example', style: 'postfix' }, 3],
  [{ domain: 'seabright-hotels.example', mta: 'in.seabright-hotels.example', style: 'exchange' }, 3],
  [{ domain: MISSPELT_DOMAIN, mta: `mx.${MISSPELT_DOMAIN}`, style: 'postfix' }, 1],
];

export function randomCorrespondent(random: Random): Correspondent {
  const server = random.weighted(SERVERS);
  const person = randomPerson(random);
  const digits = server.style === 'webmail' && random.chance(0.35) ? String(random.int(1, 99)) : '';
  const name = `${person.first} ${person.last}`;
  return { address: `${localPartOf(person)}${digits}@${server.domain}`, name, server };
}

export function acceptedBy(random: Random, server: Server, messageId: string, at: Date): Reply {
  const id = newQueueId(at);
  const responses = {
    postfix: `250 2.0.0 Ok: queued as ${id}`,
    exchange: `250 2.6.0 ${messageId} [InternalId=${random.int(1e12, 9e12)}] ${random.int(9, 80)}.${random.int(100, 999)} KB in 0.${random.int(110, 480)} s Queued mail for delivery`,
    webmail: `250 2.0.0 OK ${Math.floor(at.getTime() / 1000)} ${id.slice(0, 10).toLowerCase()}-${random.int(100, 999)} - mx`,
  };
  const enhancedCode = server.style === 'exchange' ? '2.6.0' : '2.0.0';
  return { cause: null, smtpCode: 250, enhancedCode, response: responses[server.style], remoteMta: server.mta };
}

type Template = readonly [
  smtpCode: number | null,
  enhancedCode: string,
  text: (address: string, mta: string) => string,
];

const BOUNCES: Weighted<Template> = [
  [[550, '5.1.1', (address) => `<${address}>: Recipient address rejected: User unknown`], 46],
  [
    [
      550,
      '5.1.10',
      (address) => `RESOLVER.ADR.RecipientNotFound; Recipient ${address} not found by SMTP address lookup`,
    ],
    14,
  ],
  [[552, '5.2.2', (address) => `<${address}>: The mailbox is over its quota`], 12],
  [[550, '5.7.1', () => 'Message rejected due to the recipient’s content policy'], 9],
  [[550, '5.7.26', () => 'Unauthenticated mail from this domain is not accepted: SPF and DKIM did not pass'], 7],
  [[554, '5.7.1', (_, mta) => `Service unavailable; client host blocked by the reputation list of ${mta}`], 5],
  [[550, '5.2.1', (address) => `<${address}>: This account has been disabled`], 5],
  [[552, '5.3.4', () => 'Message size exceeds fixed limit of 10485760 bytes'], 2],
];

const DEFERRALS: Weighted<Template> = [
  [[450, '4.7.1', (address) => `<${address}>: Recipient address rejected: Greylisted, try again in 300 seconds`], 46],
  [[421, '4.7.0', (_, mta) => `${mta} Too many connections from your host, try again later`], 16],
  [[452, '4.2.2', (address) => `<${address}>: The mailbox is full, try again later`], 13],
  [[451, '4.3.0', () => 'Temporary lookup failure'], 8],
  [[null, '4.4.1', (_, mta) => `connect to ${mta}[203.0.113.25]:25: Connection timed out`], 11],
  [
    [
      null,
      '4.4.3',
      (_, mta) => `Host or domain name not found. Name service error for name=${mta} type=A: Host not found, try again`,
    ],
    6,
  ],
];

const OWN_REFUSALS: Weighted<Template> = [
  [[552, '5.3.4', () => 'Message size exceeds fixed limit'], 3],
  [[451, '4.3.5', () => 'Server configuration problem'], 2],
  [[452, '4.3.1', () => 'Insufficient system storage'], 2],
];

export function bouncedBy(random: Random, address: string, server: Server): Reply {
  return fill(random.weighted(BOUNCES), address, server.mta);
}

export function deferredBy(random: Random, address: string, server: Server): Reply {
  const reply = fill(random.weighted(DEFERRALS), address, server.mta);
  return reply.smtpCode === null ? { ...reply, remoteMta: null } : reply;
}

/** Replies to messages that look like spam. */
export function throttledBy({ mta }: Server): Reply {
  const text = 'Unusual rate of unsolicited mail from your address; delivery is limited';
  return {
    cause: 'remote_reply',
    smtpCode: 421,
    enhancedCode: '4.7.28',
    response: `421 4.7.28 ${text}`,
    remoteMta: mta,
  };
}

export function ownRefusal(random: Random): Reply {
  return { ...fill(random.weighted(OWN_REFUSALS), '', ''), cause: 'rejected', remoteMta: null };
}

/** After five days in the queue. */
export function expired(last: Reply): Reply {
  return { ...finalReply(EXPIRED, last), remoteMta: null };
}

export const DELETED_BY_ADMIN: Reply = { ...DELETED, smtpCode: null, remoteMta: null };

function fill([smtpCode, enhancedCode, text]: Template, address: string, mta: string): Reply {
  const words = text(address, mta);
  const response = smtpCode === null ? words : `${smtpCode} ${enhancedCode} ${words}`;
  const cause = smtpCode === null ? 'no_reply' : 'remote_reply';
  return { cause, smtpCode, enhancedCode, response, remoteMta: mta || null };
}
