/** A line of Postfix's log about one queued message. */
export type LogEntry = { at: Date; queueId: string } & LogFact;

export type LogFact =
  /** A client submits a message; `login` is null without sign-in. */
  | { kind: 'client'; login: string | null; clientAddress: string }
  | { kind: 'named'; messageId: string }
  /** Accepted into the queue. */
  | { kind: 'queued'; from: string; sizeBytes: number }
  | ({ kind: 'delivery' } & Delivery)
  /** Rejected by the filter at the end of the message. */
  | { kind: 'rejected'; enhancedCode: string; from: string; to: string }
  /** The queue lifetime ended and the message was returned to its sender. */
  | { kind: 'expired' }
  /** Deleted from the queue by an admin. */
  | { kind: 'deleted' }
  | { kind: 'held' }
  | { kind: 'released' }
  /** Every recipient is done, and the message left the queue. */
  | { kind: 'removed' };

export type Delivery = {
  status: 'sent' | 'deferred' | 'bounced';
  /** Postfix's delivery agent: smtp and relay deliver outside, lmtp to a local mailbox. */
  agent: string;
  recipient: string;
  /** The envelope address, if an alias forwarded it to the recipient. */
  addressedTo: string;
  remoteMta: string | null;
  delaySeconds: number;
  enhancedCode: string;
  smtpCode: number | null;
  response: string;
};

/**
 * Parses one line. Lines have no year or time zone: they are in UTC (main.cf), and the year is the latest one that is not after
 * `now`. @returns null for other lines
 */
export function parseLogLine(line: string, now: Date): LogEntry | null {
  const [, stamp, daemon, queueId, rest] = LINE.exec(line) ?? [];
  if (!stamp || !daemon || !queueId || rest === undefined) return null;
  const fact = FACTS[daemon]?.(rest, daemon);
  return fact ? { at: timeOf(stamp, now), queueId, ...fact } : null;
}

const LINE =
  /^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S+ postfix(?:\/[\w-]+)*?\/([\w-]+)\[\d+\]: ([0-9A-Za-z]{6,20}): (.*)$/;

// Postfix format: quoted parts may look like the rest of the line.
const ADDRESS = '<((?:"(?:\\\\.|[^"\\\\])*"|[^"<>])*)>';
const CLIENT = /^client=[^[]*\[([^\]]*)\](?:, sasl_method=\S+, sasl_username=(.*?))?(?:, |$)/;
const NAMED = /^message-id=(.*)$/;
const QUEUED = new RegExp(`^from=${ADDRESS}, size=(\\d+), nrcpt=\\d+`);
const EXPIRED = new RegExp(`^from=${ADDRESS}, status=(?:force-)?expired,`);
const REJECTED = new RegExp(
  `^milter-reject: END-OF-MESSAGE from .*?: ([245]\\.\\d+\\.\\d+) .*; from=${ADDRESS} to=${ADDRESS}`,
);
const DELIVERY = new RegExp(
  `^to=${ADDRESS}, (?:orig_to=${ADDRESS}, )?relay=(\\S+), (?:conn_use=\\d+, )?delay=([\\d.]+), delays=[\\d./]+, ` +
    'dsn=([245]\\.\\d+\\.\\d+), status=(sent|deferred|bounced|expired|undeliverable|deliverable) \\((.*)$',
);

const FACTS: Record<string, (rest: string, daemon: string) => LogFact | null> = {
  smtpd: client,
  cleanup: (rest) => named(rest) ?? rejected(rest),
  qmgr: (rest) => queued(rest) ?? (EXPIRED.test(rest) ? { kind: 'expired' } : removed(rest, 'removed')),
  postsuper,
  smtp: delivery,
  relay: delivery,
  lmtp: delivery,
  error: delivery,
  retry: delivery,
  discard: delivery,
};

function client(rest: string): LogFact | null {
  const [, clientAddress, login] = CLIENT.exec(rest) ?? [];
  return clientAddress === undefined ? null : { kind: 'client', login: login ?? null, clientAddress };
}

function named(rest: string): LogFact | null {
  const [, messageId] = NAMED.exec(rest) ?? [];
  return messageId === undefined ? null : { kind: 'named', messageId };
}

function rejected(rest: string): LogFact | null {
  const [, enhancedCode, from, to] = REJECTED.exec(rest) ?? [];
  return enhancedCode ? { kind: 'rejected', enhancedCode, from: from ?? '', to: to ?? '' } : null;
}

function queued(rest: string): LogFact | null {
  const [, from, size] = QUEUED.exec(rest) ?? [];
  return size === undefined ? null : { kind: 'queued', from: from ?? '', sizeBytes: Number(size) };
}

function removed(rest: string, kind: 'removed' | 'deleted'): LogFact | null {
  return rest === 'removed' ? { kind } : null;
}

function postsuper(rest: string): LogFact | null {
  if (rest === 'placed on hold') return { kind: 'held' };
  if (rest === 'released from hold') return { kind: 'released' };
  return removed(rest, 'deleted');
}

function delivery(rest: string, agent: string): LogFact | null {
  const [, recipient, original, relay, delay, enhancedCode, status, ending] = DELIVERY.exec(rest) ?? [];
  if (!recipient || !relay || !enhancedCode || ending === undefined || !isStatus(status)) return null;
  // Postfix cuts lines at 2,041 characters, so a long reply has no final parenthesis.
  const text = ending.replace(/\)$/, '');
  const remoteReply = REMOTE_REPLY.exec(text);
  const response = remoteReply?.[2] ?? text;
  return {
    kind: 'delivery',
    status,
    agent,
    recipient,
    addressedTo: original || recipient,
    remoteMta: remoteReply?.[1] ?? hostOf(relay),
    delaySeconds: Number(delay),
    enhancedCode,
    smtpCode: codeOf(response),
    response,
  };
}

function isStatus(status: string | undefined): status is Delivery['status'] {
  return status === 'sent' || status === 'deferred' || status === 'bounced';
}

// "host mx.example.net[192.0.2.1] said: 550 5.1.1 No such user (in reply to RCPT TO command)"
const REMOTE_REPLY =
  /^host ([^\s[]+)\[[^\]]*\] (?:said|refused to talk to me): (.*?)(?: \(in reply to (?:end of )?[A-Z][\w -]*\)?)?$/;

function hostOf(relay: string): string | null {
  const [host] = relay.split('[');
  return host && host !== 'none' && host !== 'local' ? host : null;
}

function codeOf(response: string): number | null {
  const [, code] = /^([245]\d\d)(?:[ -]|$)/.exec(response) ?? [];
  return code ? Number(code) : null;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
// A clock that was set back a little must not make a line a year old.
const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

function timeOf(stamp: string, now: Date): Date {
  const [month = '', day = '', time = ''] = stamp.split(/ +/);
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const inYear = (year: number) =>
    new Date(Date.UTC(year, MONTHS.indexOf(month), Number(day), hours, minutes, seconds));
  const thisYear = inYear(now.getUTCFullYear());
  return thisYear.getTime() > now.getTime() + MAX_AHEAD_MS ? inYear(now.getUTCFullYear() - 1) : thisYear;
}
