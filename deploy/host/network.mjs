// These functions ask what the internet knows of this host, and what this host can reach.
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls } from 'node:tls';

const TIMEOUT_MS = 5000;
const dns = new Resolver({ timeout: 2000, tries: 2 });
const PRIVATE =
  /^(10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cde]|::1$)/i;
/** A provider whose mail servers are always there. */
const KNOWN_DOMAIN = 'gmail.com';

/** @returns {string[]} the public addresses of this host's interfaces; none behind address translation */
export function publicAddresses() {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ internal, address }) => !internal && !PRIVATE.test(address)).map(({ address }) => address);
}

/** Addresses of the internet, to which nothing is sent. */
const FAR = { udp4: '192.0.2.1', udp6: '2001:db8::1' };

/**
 * @param {('udp4' | 'udp6')[]} families
 * @returns {Promise<string[]>} the public addresses that this host's connections to the internet come from
 */
export async function sendingAddresses(families) {
  const found = await Promise.all(families.map(sourceAddress));
  return found.flatMap((address) => (address === null || PRIVATE.test(address) ? [] : [address]));
}

/** The address that the system chooses for a datagram, which isn’t sent; null without a route. */
async function sourceAddress(family) {
  const socket = createSocket(family);
  try {
    socket.connect(9, FAR[family]);
    await once(socket, 'connect');
    return socket.address().address;
  } catch {
    return null;
  } finally {
    socket.close();
  }
}

/** @returns {Promise<string[]>} the addresses that DNS has for a name */
export async function addressesOf(name) {
  const found = await Promise.all([dns.resolve4(name).catch(() => []), dns.resolve6(name).catch(() => [])]);
  return found.flat();
}

/** @returns {Promise<string[]>} the names that DNS has for an address */
export function namesOf(address) {
  return dns.reverse(address).catch(() => []);
}

/**
 * @param {string} host
 * @param {string[]} published what DNS has for the name
 * @param {string[]} own public addresses of this host, if it has any
 * @returns {string[]} what is wrong
 */
export function addressProblems(host, published, own) {
  if (published.length === 0) return [`DNS has no address for ${host}: publish the record above.`];
  const problems = published
    .filter((address) => own.length > 0 && !own.includes(address))
    .map((address) => `DNS says that ${host} is ${address}, and this host is ${own.join(' and ')}.`);
  if (published.every((address) => address.includes(':')))
    problems.push(`DNS has no IPv4 address for ${host}: servers without IPv6 can't deliver mail to it.`);
  return problems;
}

/**
 * @param {string} host
 * @param {string[]} published what DNS has for the name
 * @param {string[]} sending addresses that mail leaves from
 * @returns {string[]} what is wrong
 */
export function sendingProblems(host, published, sending) {
  if (published.length === 0) return [];
  return sending
    .filter((address) => !published.includes(address))
    .map((address) => {
      const [type, instead] = address.includes(':')
        ? ['AAAA', ' Or let mail leave by IPv4 only: inet_protocols = ipv4 in /etc/postroom-mail/custom/postfix-main.']
        : ['A', ''];
      return `Mail leaves from ${address}, which DNS doesn't have for ${host}: many servers reject it. Publish it as ${type} record, with a PTR record.${instead}`;
    });
}

/**
 * @param {string} host
 * @param {string[]} addresses what DNS has for the name
 * @param {string[][]} names what DNS has for each of them
 * @returns {string[]} what is wrong
 */
export function reverseProblems(host, addresses, names) {
  if (addresses.length === 0) return [`It can be checked once DNS has an address for ${host}.`];
  return addresses
    .filter((_, index) => !names[index]?.some((name) => name.toLowerCase() === host))
    .map(
      (address) =>
        `The PTR record of ${address} isn't ${host}: many servers reject its mail. Set it at the provider of the host.`,
    );
}

/** @returns {Promise<boolean>} whether a connection is accepted */
export function canConnect({ host, port }) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (isOpen) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/** @returns {Promise<{ host: string, port: number } | null>} a well-known mail server, to try whether mail can leave */
export async function outboundServer() {
  const [first] = (await dns.resolveMx(KNOWN_DOMAIN).catch(() => [])).sort(
    (one, other) => one.priority - other.priority,
  );
  return first ? { host: first.exchange, port: 25 } : null;
}

/**
 * Returns the certificate that a port of this host shows for a name.
 * @returns {Promise<{ isTrusted: boolean, isSelfSigned: boolean, reason: string, daysLeft: number } | null>} null without TLS
 */
export function certificateAt({ port, name }) {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, servername: name, rejectUnauthorized: false, timeout: TIMEOUT_MS };
    const socket = connectTls(options, () => {
      const { issuer, subject, valid_to: end } = socket.getPeerCertificate();
      const isSelfSigned = JSON.stringify(issuer) === JSON.stringify(subject);
      const reason = String(socket.authorizationError ?? '');
      const daysLeft = Math.floor((Date.parse(end) - Date.now()) / 86_400_000);
      socket.destroy();
      resolve({ isTrusted: socket.authorized, isSelfSigned, reason, daysLeft });
    });
    const fail = () => {
      socket.destroy();
      resolve(null);
    };
    socket.once('error', fail);
    socket.once('timeout', fail);
  });
}
