import type { Answer, StringAnswer } from 'dns-packet';
import type { RecordType, Reply } from './ask';

/** The result of a DNS lookup of a name and type. */
export type Lookup =
  | ({ status: 'found'; values: string[]; ttlSeconds: number } & Trust)
  | ({ status: 'missing'; values: []; ttlSeconds: number | null } & Trust)
  | {
      status: 'temporary_error';
      values: [];
      reason: string;
      /** SERVFAIL, REFUSED, …, if the server answered at all. */
      rcode?: string;
    };

type Trust = {
  /** The resolver has verified the answer with DNSSEC. */
  isAuthentic: boolean;
  /** The server says that it holds the zone. */
  isAuthoritative: boolean;
};

const MAX_CNAMES = 16;
const MAX_NAME_BYTES = 253;
const MAX_LABEL_BYTES = 63;
const MAX_VALUE_LENGTH = 4_096;
const MAX_TTL_SECONDS = 2 ** 31 - 1;

/** @returns also the name at the end of the CNAMEs in the reply */
export function toLookup(reply: Reply, name: string, type: RecordType): { lookup: Lookup; owner: string } {
  const { rcode, isAuthentic, isAuthoritative } = reply;
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')
    return { lookup: failed(`The server answered ${rcode}.`, rcode), owner: name };
  const owner = type === 'CNAME' ? name : endOfChain(reply.answers, name);
  const matching = reply.answers.filter((answer) => answer.type === type && isSame(answer.name, owner));
  const values = matching.flatMap((answer) => textOf(answer));
  const trust = { isAuthentic, isAuthoritative };
  if (values.length > 0) {
    const ttlSeconds = Math.min(...matching.map(ttlOf));
    return { lookup: { status: 'found', values: [...new Set(values)], ttlSeconds, ...trust }, owner };
  }
  const soa = reply.authorities.find((answer) => answer.type === 'SOA');
  const ttlSeconds = soa ? Math.min(ttlOf(soa), soa.data.minimum ?? 0) : null;
  return { lookup: { status: 'missing', values: [], ttlSeconds, ...trust }, owner };
}

/** Whether a name can exist. Servers ignore questions for others. */
export function isPossibleName(name: string): boolean {
  const labels = withoutDot(name)
    .split('.')
    .map((label) => Buffer.byteLength(label));
  const length = labels.reduce((sum, bytes) => sum + bytes + 1, -1);
  return length <= MAX_NAME_BYTES && labels.every((bytes) => bytes > 0 && bytes <= MAX_LABEL_BYTES);
}

export function failed(reason: string, rcode?: string): Lookup {
  return { status: 'temporary_error', values: [], reason, rcode };
}

/** More than the largest lifetime counts as none (RFC 2181). */
function ttlOf(answer: Answer): number {
  const seconds = 'ttl' in answer ? (answer.ttl ?? 0) : 0;
  return seconds > MAX_TTL_SECONDS ? 0 : seconds;
}

/** A loop ends somewhere inside, where nothing else is found. */
function endOfChain(answers: Answer[], name: string): string {
  let owner = name;
  for (let hops = 0; hops < MAX_CNAMES; hops += 1) {
    const alias = answers.find((answer) => answer.type === 'CNAME' && isSame(answer.name, owner));
    if (!alias) break;
    owner = (alias as StringAnswer).data;
  }
  return owner;
}

export function isSame(one: string, other: string): boolean {
  return withoutDot(one) === withoutDot(other);
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** A record's value as in a zone file, without quotes. The parts of a TXT record are joined. */
function textOf(answer: Answer): string[] {
  const value = recordValue(answer);
  return value === undefined ? [] : [escapeControls(value).slice(0, MAX_VALUE_LENGTH).toWellFormed()];
}

/** As in a zone file, `\\000` for NUL, which a database can't store. Tabs stay: they divide the tags of records. */
export function escapeControls(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, (control) => `\\${String(control.codePointAt(0)).padStart(3, '0')}`);
}

function recordValue(answer: Answer): string | undefined {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return answer.data;
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return withoutDot(answer.data) || '.';
    case 'MX':
      return `${answer.data.preference ?? 0} ${withoutDot(answer.data.exchange) || '.'}`;
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data;
      return `${priority} ${weight} ${port} ${withoutDot(target) || '.'}`;
    }
    case 'SOA': {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answer.data;
      return `${mname} ${rname} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case 'DS': {
      const { keyTag, algorithm, digestType, digest } = answer.data;
      return `${keyTag} ${algorithm} ${digestType} ${digest.toString('hex')}`;
    }
    case 'TXT':
      return Buffer.concat([answer.data].flat().map((part) => Buffer.from(part))).toString('utf8');
    case 'CAA':
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`;
    case 'TLSA': {
      const { usage, selector, matchingType, certificate } = answer.data;
      return `${usage} ${selector} ${matchingType} ${certificate.toString('hex')}`;
    }
    default:
      return undefined;
  }
}
