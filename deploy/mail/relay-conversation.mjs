// SMTP as a client, written down line by line. What is written can have the password, which relay.mjs takes out.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { checkServerIdentity, connect as connectTls } from 'node:tls';

const CONNECT_TIMEOUT_MS = 10_000;
const ADDRESS_TIMEOUT_MS = 3_000;
const MAX_REPLY_BYTES = 16_384;

/** Why the relay takes no mail from this server. The message is one sentence for an admin, or two with what to do. */
export class RelayProblem extends Error {
  /** @param {import('./relay.mjs').RelayOutcome} outcome @param {string} message */
  constructor(outcome, message) {
    super(message);
    this.outcome = outcome;
  }
}

/**
 * @param {{ host: string, port: number }} server
 * @param {{ signal: AbortSignal, isIpv4Only: boolean, connectTimeoutMs?: number }} options
 * @throws RelayProblem
 */
export async function connectTo({ host, port }, { signal, isIpv4Only, connectTimeoutMs = CONNECT_TIMEOUT_MS }) {
  // Not AbortSignal.timeout, which Node.js 20 forgets among others at the next garbage collection.
  const connecting = new AbortController();
  const timer = setTimeout(() => connecting.abort(), connectTimeoutMs);
  const ending = AbortSignal.any([signal, connecting.signal]);
  const family = isIpv4Only ? 4 : 0;
  const socket = connect({ host, port, family, autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS });
  socket.on('error', () => {});
  try {
    await once(socket, 'connect', { signal: ending });
    return socket;
  } catch (error) {
    socket.destroy();
    throw new RelayProblem('unreachable', whyUnreachable(error, host, port));
  } finally {
    clearTimeout(timer);
  }
}

function whyUnreachable({ code = '', message }, host, port) {
  if (['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes(code))
    return `DNS has no address for ${host}. Correct RELAY_HOST, or see /etc/resolv.conf if other names have none either.`;
  if (code === 'ECONNREFUSED') return `${host} refuses connections to port ${port}. Correct the port in RELAY_HOST.`;
  if (['ABORT_ERR', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code))
    return `${host} doesn’t answer on port ${port}: a firewall or your provider may block it. Use another port of the relay, such as 587 or 465.`;
  return `${host} can’t be reached on port ${port}: ${code || message}.`;
}

/**
 * @param {object} parts
 * @param {import('node:net').Socket} parts.socket
 * @param {{ host: string, port: number, name: string }} parts.server `name` is what its certificate is for
 * @param {import('./relay.mjs').Relay & { isPlain?: boolean }} parts.relay isPlain: without TLS, though the relay offers it
 * @param {import('./relay.mjs').RelayLine[]} parts.lines
 * @param {AbortSignal} parts.signal
 */
export function startConversation({ socket: tcp, server, relay, lines, signal }) {
  const { host, port } = server;
  const { user, password } = relay;
  let socket = tcp;
  let isSecure = false;
  /** @type {string[]} */
  let extensions = [];

  const note = (text) => lines.push({ kind: 'note', text });

  /** @param {string} step what is waited for @returns the reply's lines */
  async function hear(step) {
    const reply = await readReply(socket, signal).catch((error) => {
      throw new RelayProblem('refused', whyNoReply(error, step));
    });
    for (const text of reply) lines.push({ kind: 'received', text });
    const last = reply.at(-1) ?? '';
    return { code: Number(last.slice(0, 3)), lines: reply, last };
  }

  function whyNoReply({ code, message }, step) {
    const hint =
      step === 'greeting' && !relay.isTlsFromStart
        ? ' If this port uses TLS from the start, use port 465 instead.'
        : '';
    if (code === 'ABORT_ERR')
      return `${host} accepts connections on port ${port}, but doesn’t answer (${step}).${hint}`;
    if (code === 'NOT_SMTP') return `What answers on port ${port} of ${host} isn’t a mail server. Correct RELAY_HOST.`;
    return `${host} closed the connection (${step}): ${message}.${hint}`;
  }

  async function say(command, step = command.split(/[ :]/)[0]) {
    lines.push({ kind: 'sent', text: command });
    socket.write(`${command}\r\n`);
    return hear(step);
  }

  async function greet() {
    const reply = await say(`EHLO ${relay.ownName}`);
    if (reply.code !== 250) throw refused(reply);
    extensions = reply.lines.slice(1).map((line) => line.slice(4).trim().toUpperCase());
  }

  function refused({ last, code }) {
    if (code === 530) return new RelayProblem('credentials', `${host} wants a user and a password: set RELAY_USER.`);
    const what = code < 500 ? 'takes no mail from this server for now' : 'refuses this server';
    return new RelayProblem('refused', `${host} ${what}. It says: ${last}`);
  }

  async function startTls() {
    const ca = relay.tls === 'secure' ? readFileSync(relay.caFile, 'utf8') : undefined;
    const secured = connectTls({
      ...{ socket, ca, rejectUnauthorized: false },
      ...(isIP(server.name) ? {} : { servername: server.name }),
      checkServerIdentity: (_, certificate) => identityProblem(server.name, certificate),
    });
    secured.on('error', () => {});
    try {
      await once(secured, 'secureConnect', { signal });
    } catch (error) {
      throw new RelayProblem('tls', `TLS with ${host} fails on port ${port}: ${reasonOf(error)}.`);
    }
    const problem = secured.authorized ? null : String(secured.authorizationError);
    if (relay.tls === 'secure' && problem) {
      const fix = 'Correct the name in RELAY_HOST, or use RELAY_TLS=encrypt, which doesn’t check it.';
      throw new RelayProblem('tls', `The certificate of ${host} isn’t valid for ${server.name}: ${problem}. ${fix}`);
    }
    note(`${secured.getProtocol()}. ${certificateText(problem)}`);
    socket = secured;
    isSecure = true;
  }

  function certificateText(problem) {
    if (!problem) return `The certificate is valid for ${server.name}.`;
    return `The certificate isn’t valid for ${server.name} (${problem}), which RELAY_TLS=${relay.tls} accepts.`;
  }

  return {
    /** The greeting, and TLS as the policy says. @throws RelayProblem */
    async open() {
      if (relay.isTlsFromStart) await startTls();
      const greeting = await hear('greeting');
      if (greeting.code !== 220) throw refused(greeting);
      await greet();
      if (isSecure || relay.isPlain) return;
      if (!extensions.includes('STARTTLS')) {
        if (relay.tls === 'may') return;
        throw new RelayProblem('tls', `${host} offers no TLS on port ${port}, which RELAY_TLS=${relay.tls} needs.`);
      }
      const reply = await say('STARTTLS');
      if (reply.code !== 220) throw new RelayProblem('tls', `${host} starts no TLS. It says: ${reply.last}`);
      await startTls();
      await greet();
    },

    /** @returns whether this server is signed in now @throws RelayProblem */
    async signIn() {
      if (user === '') return false;
      const offered = extensions.find((one) => /^AUTH[ =]/.test(one))?.split(/[ =]/) ?? [];
      if (offered.length === 0) {
        note(`${host} asks for no sign-in, so Postfix doesn’t sign in either.`);
        return false;
      }
      const reply = await authenticate(offered);
      if (reply.code === 235) return true;
      const isTemporary = reply.code < 500;
      const what = isTemporary ? 'can’t check the user and password now' : 'rejects the user or the password';
      const fix = isTemporary ? '' : ' Correct RELAY_USER and RELAY_PASSWORD.';
      throw new RelayProblem('credentials', `${host} ${what}.${fix} It says: ${reply.last}`);
    },

    /**
     * @param {'MAIL FROM' | 'RCPT TO'} command
     * @param {string} address
     * @param {'sender' | 'recipient'} role
     * @throws RelayProblem
     */
    async name(command, address, role) {
      const reply = await say(`${command}:<${address}>`);
      if (reply.code >= 200 && reply.code < 300) return;
      // Postfix defers these, too, since they say nothing about the recipient (relayValues in settings.mjs).
      if (reply.code === 530 || /relay|authenti|not permitted/i.test(reply.last)) throw refused(reply);
      const what = reply.code < 500 ? 'doesn’t accept' : 'refuses';
      const now = reply.code < 500 ? ' for now' : '';
      throw new RelayProblem(role, `${host} ${what} the ${role} ${address}${now}. It says: ${reply.last}`);
    },

    /** Ends the session without mail. @throws RelayProblem */
    async leave() {
      await say('RSET');
      lines.push({ kind: 'sent', text: 'QUIT' });
      socket.end('QUIT\r\n');
    },
  };

  async function authenticate(offered) {
    if (offered.includes('PLAIN')) return say(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`);
    if (!offered.includes('LOGIN')) {
      const message = `${host} offers no way to sign in that this test knows, only ${offered.slice(1).join(', ')}.`;
      throw new RelayProblem('credentials', message);
    }
    const started = await say('AUTH LOGIN');
    if (started.code !== 334) return started;
    const named = await say(base64(user), 'AUTH');
    return named.code === 334 ? say(base64(password), 'AUTH') : named;
  }
}

/** Like Postfix's `secure`: the name, or one below it. */
function identityProblem(name, certificate) {
  const isBelow = (certificate.subjectaltname ?? '')
    .split(', ')
    .some((one) => one.startsWith('DNS:') && one.toLowerCase().endsWith(`.${name.toLowerCase()}`));
  return isBelow ? undefined : checkServerIdentity(name, certificate);
}

function reasonOf({ code, message }) {
  if (code === 'ABORT_ERR') return 'no answer in time';
  return code ?? message;
}

async function readReply(socket, signal) {
  let text = '';
  while (text.length < MAX_REPLY_BYTES) {
    const chunk = socket.read();
    text += chunk?.toString('latin1') ?? '';
    const lines = text.split('\r\n').slice(0, -1);
    if (lines.some((line) => !/^\d{3}([ -]|$)/.test(line))) break;
    if (/^\d{3}( |$)/.test(lines.at(-1) ?? '')) return lines;
    if (chunk) continue;
    if (socket.readableEnded || socket.destroyed) throw new Error('it sent no reply');
    await once(socket, 'readable', { signal });
  }
  throw Object.assign(new Error('it sent no SMTP'), { code: 'NOT_SMTP' });
}

function base64(text) {
  return Buffer.from(text).toString('base64');
}
