import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import dnsPacket, { type Answer, type DecodedPacket, type Question } from 'dns-packet';

export type DnsServer = { address: string; port: number };

export type RecordType = 'A' | 'AAAA' | 'CAA' | 'CNAME' | 'DS' | 'MX' | 'NS' | 'PTR' | 'SOA' | 'SRV' | 'TLSA' | 'TXT';

export type AskOptions = {
  isRecursive: boolean;
  /** Asks a resolver for the answer even if DNSSEC says that it is forged. */
  isUnverified?: boolean;
  /** Ends the question, with the deadline. */
  signal: AbortSignal;
};

export type Reply = {
  /** NOERROR, NXDOMAIN, SERVFAIL, REFUSED, … */
  rcode: string;
  /** The resolver has verified the answer with DNSSEC. */
  isAuthentic: boolean;
  isAuthoritative: boolean;
  answers: Answer[];
  authorities: Answer[];
};

// The largest payload that fits in one packet on every path (DNS flag day 2020). Longer answers come by TCP.
const UDP_PAYLOAD_BYTES = 1232;
const EDNS: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: UDP_PAYLOAD_BYTES,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};
const UDP_TRIES = 2;
const RESEND_AFTER_MS = 1_500;
const MAX_REPLY_BYTES = 65_535;

export const NO_ANSWER = 'The server did not answer in time.';

/** Why a server gave no answer. The message is shown to admins. */
export class DnsFailure extends Error {
  override name = 'DnsFailure';
}

/**
 * Asks one server one question, by UDP and, if the answer is too long, by TCP. A server that answers nothing or an error to a
 * question with EDNS is asked without it (RFC 6891, 6.2.2). Packets that don't match the question are ignored, because anybody
 * can send some.
 * @throws DnsFailure without an answer
 */
export async function ask(
  server: DnsServer,
  question: { name: string; type: RecordType },
  { signal, ...flags }: AskOptions,
): Promise<Reply> {
  const [extended, plain] = [encodeQuery(question, flags, true), encodeQuery(question, flags, false)];
  const first = await askByUdp(server, [extended, plain], signal);
  const isRefused = first.query === extended && isUnknownEdns(first.reply);
  const { query, reply } = isRefused ? await askByUdp(server, [plain], signal) : first;
  return toReply(reply.flag_tc ? await askByTcp(server, query, signal) : reply);
}

/** Whether the server doesn't know EDNS, or this version of it (BADVERS). */
function isUnknownEdns(reply: DecodedPacket): boolean {
  return (
    NO_EDNS.has(rcodeOf(reply)) ||
    (reply.additionals ?? []).some((each) => each.type === 'OPT' && each.extendedRcode === 1)
  );
}

const NO_EDNS = new Set(['FORMERR', 'NOTIMP']);

function rcodeOf(packet: DecodedPacket): string {
  return (packet as DecodedPacket & { rcode: string }).rcode;
}

type Query = { id: number; question: Question; bytes: Buffer };

function encodeQuery(
  { name, type }: { name: string; type: RecordType },
  { isRecursive, isUnverified = false }: Omit<AskOptions, 'signal'>,
  hasEdns: boolean,
): Query {
  const id = randomInt(0x10000);
  const question: Question = { name, type, class: 'IN' };
  const bytes = dnsPacket.encode({
    type: 'query',
    id,
    flags:
      dnsPacket.AUTHENTIC_DATA |
      (isRecursive ? dnsPacket.RECURSION_DESIRED : 0) |
      (isUnverified ? dnsPacket.CHECKING_DISABLED : 0),
    questions: [question],
    additionals: hasEdns ? [EDNS] : [],
  });
  return { id, question, bytes };
}

type Answered = { query: Query; reply: DecodedPacket };

/** Sends the queries in turn, UDP_TRIES in all, until one has an answer. */
async function askByUdp(server: DnsServer, queries: Query[], signal: AbortSignal): Promise<Answered> {
  const socket = createSocket(server.address.includes(':') ? 'udp6' : 'udp4');
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  try {
    socket.connect(server.port, server.address);
    await once(socket, 'connect', { signal });
    const answered = new Promise<Answered>((resolve, reject) => {
      socket.on('message', (bytes) => {
        for (const query of queries) {
          const reply = decodeReply(bytes, query);
          if (reply) resolve({ query, reply });
        }
      });
      socket.once('error', (error) => reject(failureOf(error)));
      ending.addEventListener('abort', () => reject(noAnswer()), { once: true });
    });
    answered.catch(() => {});
    for (let sent = 0; sent < UDP_TRIES; sent += 1) {
      socket.send((queries[sent] ?? (queries[0] as Query)).bytes);
      const reply = await Promise.race([answered, pause(RESEND_AFTER_MS, ending)]);
      if (reply) return reply;
    }
    return await answered;
  } catch (error) {
    throw failureOf(error);
  } finally {
    stop.abort();
    socket.close();
  }
}

async function askByTcp(server: DnsServer, query: Query, signal: AbortSignal): Promise<DecodedPacket> {
  const socket = connect({ host: server.address, port: server.port, signal });
  try {
    await once(socket, 'connect', { signal });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.bytes.length);
    socket.write(Buffer.concat([length, query.bytes]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      if (received.length > MAX_REPLY_BYTES + 2) break;
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) continue;
      const reply = decodeReply(received.subarray(2), query);
      if (reply) return reply;
      break;
    }
    throw new DnsFailure('The server sent no valid answer over TCP.');
  } catch (error) {
    throw failureOf(error);
  } finally {
    socket.destroy();
  }
}

/** @returns undefined for bytes that are no answer to the query. Old servers repeat no question that they don't understand */
function decodeReply(bytes: Buffer, { id, question }: Query): DecodedPacket | undefined {
  try {
    const reply = dnsPacket.decode(bytes);
    if (reply.type !== 'response' || reply.id !== id) return undefined;
    const [asked] = reply.questions ?? [];
    if (!asked) return NO_EDNS.has(rcodeOf(reply)) ? reply : undefined;
    const isAnswer = asked.type === question.type && asked.name.toLowerCase() === question.name.toLowerCase();
    return isAnswer ? reply : undefined;
  } catch {
    return undefined;
  }
}

function toReply(packet: DecodedPacket): Reply {
  return {
    rcode: rcodeOf(packet),
    isAuthentic: packet.flag_ad,
    isAuthoritative: packet.flag_aa,
    answers: packet.answers ?? [],
    authorities: packet.authorities ?? [],
  };
}

function noAnswer(): DnsFailure {
  return new DnsFailure(NO_ANSWER);
}

function failureOf(error: unknown): DnsFailure {
  if (error instanceof DnsFailure) return error;
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return noAnswer();
  return new DnsFailure(
    code === 'ECONNREFUSED' ? 'The server refused the connection.' : `The server can’t be reached (${code ?? name}).`,
  );
}

async function pause(ms: number, signal: AbortSignal): Promise<undefined> {
  await setTimeout(ms, undefined, { signal, ref: false }).catch(() => {});
}
