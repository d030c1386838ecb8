// The relay that outbound mail goes through, as the generated configuration of Postfix has it, and a test of it that sends no mail.
// Used by Postroom's agent and by `deploy/install --check`.
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo, RelayProblem, startConversation } from './relay-conversation.mjs';

const TIMEOUT_MS = 25_000;
const MAX_TEXT_LENGTH = 500;

/**
 * @typedef {object} Relay
 * @property {string} destination as in RELAY_HOST, such as [smtp.example.net]:587
 * @property {'may' | 'encrypt' | 'secure'} tls
 * @property {boolean} isTlsFromStart
 * @property {string} user empty if the relay wants none
 * @property {string} password
 * @property {string} ownName what this server calls itself
 * @property {boolean} isIpv4Only
 * @property {string} caFile certificates that RELAY_TLS=secure trusts
 *
 * @typedef {'accepted' | 'unreachable' | 'tls' | 'credentials' | 'refused' | 'sender' | 'recipient'} RelayOutcome
 * @typedef {{ kind: 'note' | 'sent' | 'received', text: string }} RelayLine
 * @typedef {{ outcome: RelayOutcome, message: string, lines: RelayLine[] }} RelayResult
 */

/**
 * Reads what Postfix uses, which can differ from the settings until they are applied.
 * @param {string} config the folder of the configuration
 * @returns {Relay | null} null if mail is sent to its recipients' servers
 */
export function readRelay(config) {
  const main = readFileSync(join(config, 'postfix/main.cf'), 'utf8');
  const value = (name) => new RegExp(`^${name}[ \\t]*=[ \\t]*(.*?)[ \\t]*$`, 'm').exec(main)?.[1] ?? '';
  const destination = value('relayhost');
  if (destination === '') return null;
  const [user, password] = value('smtp_sasl_auth_enable') === 'yes' ? credentialsFor(destination, config) : ['', ''];
  return {
    ...{ destination, user, password },
    tls: /** @type {Relay['tls']} */ (value('smtp_tls_security_level')),
    isTlsFromStart: value('smtp_tls_wrappermode') === 'yes',
    ownName: value('myhostname'),
    isIpv4Only: value('inet_protocols') === 'ipv4',
    caFile: value('smtp_tls_CAfile'),
  };
}

/** @returns {[string, string]} user and password */
function credentialsFor(destination, config) {
  const lines = readFileSync(join(config, 'postfix/relay-credentials'), 'utf8').split('\n');
  const pair = lines.find((line) => line.startsWith(`${destination} `))?.slice(destination.length + 1) ?? '';
  const end = pair.indexOf(':');
  return [pair.slice(0, Math.max(end, 0)), pair.slice(end + 1)];
}

/** @param {string} destination @returns {{ host: string, port: number, isExact: boolean }} isExact: the host itself, not its MX */
export function addressOfRelay(destination) {
  const [, bracket, host = '', port] = /^(\[?)([^\]]+?)\]?(?::(\d+))?$/.exec(destination) ?? [];
  return { host, port: Number(port ?? 25), isExact: bracket === '[' };
}

/**
 * Returns a text of the relay or about it without the password, which is the user, too, at some providers.
 * @param {string} text
 * @param {Relay} relay
 */
export function withoutPassword(text, { user, password }) {
  if (password === '') return text;
  const secrets = [`\0${user}\0${password}`, password].map((secret) => Buffer.from(secret).toString('base64'));
  return [...secrets, password].reduce((all, secret) => all.replaceAll(secret, '••••••••'), text);
}

/**
 * Connects and signs in as Postfix does, names a sender and a recipient if there are any, and hangs up without sending mail.
 * @param {Relay} relay
 * @param {{ from?: string, to?: string }} [mail] plain addresses; without `from`, `to` isn't asked for
 * @param {{ timeoutMs?: number, connectTimeoutMs?: number }} [limits]
 * @returns {Promise<RelayResult>} what was said, without the password, and what that means in one sentence
 */
export async function testRelay(relay, mail = {}, { timeoutMs = TIMEOUT_MS, ...limits } = {}) {
  const options = { ...limits, signal: AbortSignal.timeout(timeoutMs), isIpv4Only: relay.isIpv4Only };
  let result = await converse(relay, mail, options);
  if (result.outcome === 'tls' && relay.tls === 'may' && !relay.isTlsFromStart) {
    const { lines } = result;
    result = await converse({ ...relay, isPlain: true }, mail, options);
    result.lines.unshift(...lines, { kind: 'note', text: 'RELAY_TLS=may sends without TLS then.' });
  }
  const shown = (text) => withoutPassword(text, relay).replace(/\p{C}/gu, '\ufffd').slice(0, MAX_TEXT_LENGTH);
  return {
    outcome: result.outcome,
    message: shown(result.message),
    lines: result.lines.map(({ kind, text }) => ({ kind, text: shown(text) })),
  };
}

/** @param {Relay & { isPlain?: boolean }} relay @param {{ from?: string, to?: string }} mail @returns {Promise<RelayResult>} with the password */
async function converse(relay, { from, to }, options) {
  /** @type {RelayLine[]} */
  const lines = [];
  const note = (text) => lines.push({ kind: 'note', text });
  const server = await serverOf(relay);
  /** @type {import('node:net').Socket | undefined} */
  let socket;
  try {
    note(`Connecting to ${server.host}, port ${server.port}.`);
    socket = await connectTo(server, options);
    note(`Connected to ${socket.remoteAddress}.`);
    const conversation = startConversation({ socket, server, relay, lines, signal: options.signal });
    await conversation.open();
    const isSignedIn = await conversation.signIn();
    if (from) await conversation.name('MAIL FROM', from, 'sender');
    if (from && to) await conversation.name('RCPT TO', to, 'recipient');
    await conversation.leave();
    const whom = isSignedIn ? `, signed in as ${relay.user}` : '';
    const what = from ? `, and mail from ${from}${to ? ` to ${to}` : ''}` : '';
    return { outcome: 'accepted', message: `${server.host} accepts this server${whom}${what}.`, lines };
  } catch (error) {
    if (!(error instanceof RelayProblem)) throw error;
    note(error.message);
    return { outcome: error.outcome, message: error.message, lines };
  } finally {
    socket?.destroy();
  }
}

/** Without brackets, Postfix asks for the MX records of the name. */
async function serverOf({ destination }) {
  const { host, port, isExact } = addressOfRelay(destination);
  if (isExact) return { host, port, name: host };
  const found = await new Resolver({ timeout: 2000, tries: 2 }).resolveMx(host).catch(() => []);
  const [first] = found.sort((one, other) => one.priority - other.priority);
  return { host: first?.exchange || host, port, name: host };
}
