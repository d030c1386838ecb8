import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Points of an SMTP session at which a script can misbehave; BANNER is before any command, DOT after the final dot. */
export type SmtpPoint =
  | 'BANNER'
  | 'EHLO'
  | 'HELO'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'MID-DATA'
  | 'DOT'
  | 'RSET'
  | 'QUIT';

/** hang: never reply. drop: close without a reply. reset: the same with a TCP reset. Otherwise, the bytes to reply with. */
export type SmtpAction = 'hang' | 'drop' | 'reset' | { say: string; thenDrop?: boolean };

/** Undefined continues the session like a well-behaved server. */
export type SmtpScript = (point: SmtpPoint, line: string, session: { connection: number }) => SmtpAction | undefined;

export type RawSmtpServer = {
  url: string;
  port: number;
  /** Every command line received, in order, over all connections. */
  commands: string[];
  /** Messages received completely with their final dot, whatever the reply. */
  messages: string[];
  /** Number of times that a client was asked for data (354). */
  transfers: () => number;
  connections: () => number;
  /** Number of open connections. */
  open: () => number;
  /** Closes every connection like a server restart. */
  dropAll: () => void;
  close: () => Promise<void>;
};

type Options = { extensions?: string[]; credentials?: string; query?: string };

/** A scripted SMTP server on 127.0.0.1 that works on raw TCP, so that it can violate the protocol. */
export async function startRawSmtpServer(
  script: SmtpScript = () => undefined,
  options: Options = {},
): Promise<RawSmtpServer> {
  const { extensions = ['PIPELINING', '8BITMIME', 'AUTH PLAIN LOGIN'], credentials = '', query = '' } = options;
  const commands: string[] = [];
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let transfers = 0;

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    converse(socket, connections);
  });

  function converse(socket: Socket, connection: number): void {
    let pending = '';
    let data: string[] | null = null;
    let isStuck = false;
    let hasSender = false;
    let recipients = 0;

    const act = (point: SmtpPoint, line: string, defaultReply: string): SmtpAction | undefined => {
      const action = script(point, line, { connection });
      if (action === undefined) {
        socket.write(defaultReply);
      } else if (action === 'hang') {
        isStuck = true;
      } else if (action === 'drop' || action === 'reset') {
        isStuck = true;
        if (action === 'drop') socket.destroy();
        else socket.resetAndDestroy();
      } else {
        socket.write(action.say);
        if (action.thenDrop) {
          isStuck = true;
          socket.end();
        }
      }
      return action;
    };

    act('BANNER', '', '220 raw.test ESMTP\r\n');
    socket.on('data', (chunk) => {
      if (isStuck) return;
      pending += chunk.toString('latin1');
      if (data && data.length === 0 && pending.length > 0) {
        const action = script('MID-DATA', '', { connection });
        if (action !== undefined) {
          isStuck = true;
          if (action === 'hang') socket.pause();
          else if (action === 'drop') socket.destroy();
          else if (action === 'reset') socket.resetAndDestroy();
          else socket.end(action.say);
          return;
        }
      }
      for (let end = pending.indexOf('\r\n'); end >= 0 && !isStuck; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (data) onDataLine(line);
        else onCommand(line);
      }
    });

    function onDataLine(line: string): void {
      if (line !== '.') {
        data?.push(line.startsWith('.') ? line.slice(1) : line);
        return;
      }
      messages.push(`${data?.join('\r\n') ?? ''}\r\n`);
      data = null;
      act('DOT', line, '250 2.0.0 Ok: queued as 4Rk2Vd0xQzLm\r\n');
    }

    function onCommand(line: string): void {
      commands.push(line);
      const verb = line.split(/[ :]/, 1)[0]?.toUpperCase() ?? '';
      if (verb === 'EHLO') {
        const lines = ['raw.test', ...extensions];
        const defaultReply = lines
          .map((text, index) => `250${index < lines.length - 1 ? '-' : ' '}${text}\r\n`)
          .join('');
        act('EHLO', line, defaultReply);
      } else if (verb === 'HELO') act('HELO', line, '250 raw.test\r\n');
      else if (verb === 'AUTH') act('AUTH', line, '235 2.7.0 Authentication successful\r\n');
      else if (verb === 'MAIL') {
        hasSender = act('MAIL', line, '250 2.1.0 Ok\r\n') === undefined;
        recipients = 0;
      } else if (verb === 'RCPT') {
        const isAccepted = act('RCPT', line, hasSender ? '250 2.1.5 Ok\r\n' : '503 5.5.1 need MAIL\r\n') === undefined;
        if (isAccepted && hasSender) recipients += 1;
      } else if (verb === 'RSET') act('RSET', line, '250 2.0.0 Ok\r\n');
      else if (verb === 'DATA') onData(line);
      else if (verb === 'QUIT') {
        act('QUIT', line, '221 2.0.0 Bye\r\n');
        if (!isStuck) socket.end();
      } else socket.write('500 5.5.2 Error\r\n');
    }

    function onData(line: string): void {
      const defaultReply =
        recipients > 0 ? '354 End data with <CR><LF>.<CR><LF>\r\n' : '554 5.5.1 no valid recipients\r\n';
      const action = act('DATA', line, defaultReply);
      const answer = action === undefined ? defaultReply : typeof action === 'object' ? action.say : '';
      if (!answer.startsWith('354')) return;
      data = [];
      transfers += 1;
    }
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://${credentials}127.0.0.1:${port}${query}`,
    port,
    commands,
    messages,
    transfers: () => transfers,
    connections: () => connections,
    open: () => sockets.size,
    dropAll() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A script that misbehaves only at one point. */
export function failAt(point: SmtpPoint, act: SmtpAction): SmtpScript {
  return (now) => (now === point ? act : undefined);
}
