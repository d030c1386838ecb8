import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import dnsPacket, { type Answer, type DecodedPacket, type Packet } from 'dns-packet';
import { freePort } from '../../../scripts/process/free-port.mjs';

/** A fault that a server simulates instead of answering from its zones. */
type DnsFault =
  | 'drop'
  | 'servfail'
  | 'refused'
  | 'garbage'
  | 'forged'
  | 'truncated'
  | 'bogus'
  | 'lame'
  | 'other_question'
  | 'no_edns'
  | 'other_edns';

export type DnsZone = Record<string, Partial<Record<string, string[]>>>;

export type DnsTestServer = {
  address: string;
  port: number;
  /** `{'acme.example': {MX: ['10 mail.acme.example'], TXT: ['v=spf1 -all']}}`. */
  zone: DnsZone;
  /** By `TYPE name`, or by name for every type. */
  faults: Record<string, DnsFault>;
  questions: string[];
  /** By name; 300 seconds by default. */
  ttls: Record<string, number>;
  /** Names whose answers have been verified with DNSSEC. */
  signed: string[];
  stop(): Promise<void>;
};

/** A DNS server on UDP and TCP that answers from `zone`, recursive and authoritative alike. CNAMEs are followed inside the zone. */
export async function startDns({ address = '127.0.0.1', port = 0 } = {}): Promise<DnsTestServer> {
  const { tcp, udp, port: bound } = await listen(address, port);
  const server: DnsTestServer = {
    address,
    port: bound,
    zone: {},
    faults: {},
    questions: [],
    ttls: {},
    signed: [],
    stop: async () => {
      tcp.close();
      udp.close();
    },
  };

  tcp.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes) => {
      const reply = respond(server, bytes.subarray(2), 'tcp')[0];
      if (!reply) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(reply.length);
      socket.end(Buffer.concat([length, reply]));
    });
  });
  udp.on('message', (bytes, { port: from, address: to }) => sendAll(udp, respond(server, bytes, 'udp'), from, to));
  return server;
}

/** The same port for both. A free one of TCP may be in use by UDP. */
async function listen(address: string, wanted: number): Promise<{ tcp: Server; udp: UdpSocket; port: number }> {
  // No port that the system gives to questions, so that servers at other addresses can have the same one.
  const port = wanted || (await freePort());
  const tcp = createServer();
  const udp = createSocket('udp4');
  try {
    tcp.listen(port, address);
    await once(tcp, 'listening');
    udp.bind(port, address);
    await once(udp, 'listening');
    return { tcp, udp, port };
  } catch (error) {
    tcp.close();
    if (wanted !== 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listen(address, wanted);
  }
}

function sendAll(udp: UdpSocket, replies: Buffer[], port: number, address: string): void {
  for (const reply of replies) udp.send(reply, port, address);
}

function respond(server: DnsTestServer, bytes: Buffer, transport: 'udp' | 'tcp'): Buffer[] {
  const query = dnsPacket.decode(bytes);
  const [question] = query.questions ?? [];
  if (!question) return [];
  const name = question.name.toLowerCase();
  server.questions.push(`${transport} ${question.type} ${name}`);
  const plain = answerFrom(server, query, name, question.type);
  const isSigned = server.signed.includes(name);
  const reply = isSigned ? { ...plain, flags: (plain.flags ?? 0) | dnsPacket.AUTHENTIC_DATA } : plain;
  switch (server.faults[`${question.type} ${name}`] ?? server.faults[name]) {
    case 'drop':
      return [];
    case 'servfail':
      return [encode({ ...reply, answers: [], flags: 2 })];
    case 'refused':
      return [encode({ ...reply, answers: [], flags: 5 })];
    case 'bogus':
      return [encode(query.flag_cd ? plain : { ...plain, answers: [], flags: 2 })];
    case 'other_question':
      return [encode({ ...reply, questions: [{ type: 'A', name: 'other.example' }] })];
    case 'lame':
      return [encode({ ...reply, answers: [], flags: 0 })];
    case 'garbage':
      return [Buffer.from('not dns'), encode(reply).subarray(0, 15)];
    case 'forged':
      return [encode({ ...reply, id: ((query.id ?? 0) + 1) % 0x10000, answers: [] }), encode(reply)];
    case 'no_edns':
      return [hasEdns(query) ? FORMERR(query.id ?? 0) : encode(reply)];
    case 'other_edns':
      return [encode(hasEdns(query) ? { ...reply, answers: [], additionals: [BADVERS] } : reply)];
    case 'truncated':
      return [
        encode(
          transport === 'udp'
            ? { ...reply, answers: [], flags: (reply.flags ?? 0) | dnsPacket.TRUNCATED_RESPONSE }
            : reply,
        ),
      ];
    default:
      return [encode(reply)];
  }
}

const encode = (packet: Packet) => dnsPacket.encode(packet);
const hasEdns = ({ additionals }: DecodedPacket) => (additionals ?? []).some(({ type }) => type === 'OPT');
/** An error as old servers give it, without the question. */
const FORMERR = (id: number) => encode({ type: 'response', id, flags: 1 });
const BADVERS: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 512,
  extendedRcode: 1,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

function answerFrom({ zone, ttls }: DnsTestServer, query: DecodedPacket, name: string, type: string): Packet {
  const answers: Answer[] = [];
  let owner = name;
  for (let hops = 0; hops < 10; hops += 1) {
    const alias = zone[owner]?.CNAME?.[0];
    if (alias === undefined || type === 'CNAME') break;
    answers.push({ type: 'CNAME', name: owner, ttl: 300, data: alias });
    owner = alias;
  }
  const ttl = ttls[owner] ?? 300;
  answers.push(...(zone[owner]?.[type] ?? []).map((value) => ({ ...toAnswer(owner, type, value), ttl }) as Answer));
  const flags = (zone[name] ? 0 : 3) | dnsPacket.AUTHORITATIVE_ANSWER;
  return {
    type: 'response',
    id: query.id ?? 0,
    flags: flags | dnsPacket.RECURSION_AVAILABLE,
    questions: query.questions ?? [],
    answers,
  };
}

function toAnswer(name: string, type: string, value: string): Answer {
  const parts = value.split(' ');
  const [first = '', second = '', third = '', fourth = ''] = parts;
  const data = {
    MX: { preference: Number(first), exchange: second },
    SRV: { priority: Number(first), weight: Number(second), port: Number(third), target: fourth },
    SOA: {
      mname: first,
      rname: second,
      serial: Number(third),
      refresh: 3600,
      retry: 600,
      expire: 86_400,
      minimum: 300,
    },
    CAA: { flags: Number(first), tag: second, value: third.replaceAll('"', '') },
    DS: { keyTag: Number(first), algorithm: Number(second), digestType: Number(third), digest: hex(fourth) },
    TLSA: {
      usage: Number(first),
      selector: Number(second),
      matchingType: Number(third),
      certificate: hex(fourth),
    },
    // Split like long records are: at 255 bytes.
    TXT: value.match(/[\s\S]{1,255}/g) ?? [''],
  }[type];
  return { type, name, data: data ?? value } as Answer;
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
