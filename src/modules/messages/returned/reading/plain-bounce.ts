import { parseAddress } from '@/lib/mail/address';
import { readAddresses } from '@/mail/mime/addresses';
import { decodeText } from '@/mail/mime/decode-text';
import { decodeRaw } from '@/mail/mime/header-fields';
import { htmlToText } from '@/mail/mime/html-text';
import { bodyOf, type Part } from '@/mail/mime/parts';
import { oneLine } from '@/mail/submission/smtp-reply';
import { addressesIn, codesIn, readDeliveryStatus } from './delivery-status';
import { findPart } from './find-part';
import { LIMITS, type RecipientReport } from './report';

/** How mail servers begin a bounce that has no structure: qmail, Exim, Exchange, sendmail, Postfix, Courier, Gmail and Yahoo. */
const INTRODUCTION = new RegExp(
  [
    'This is the qmail-send program',
    'created automatically by mail delivery software',
    'Delivery has failed to these recipients',
    'Diagnostic information for administrators',
    'The following addresses had permanent fatal errors',
    'This is the (?:mail system|Postfix program) at host',
    'running the Courier mail server',
    'Delivery to the following recipients? failed permanently',
    'unable to deliver your message to the following address',
  ].join('|'),
  'i',
);

/** Where the returned message begins, which can quote anything. */
const COPY =
  /^-{2,} ?(?:Below this line is a copy|This is a copy of|The header of the original|The body of|Original message)|^Original message headers:|^ {0,3}-{3,} {0,2}(?:The following is|Unsent message|Returned message)|^ {0,4}(?:Below is a copy of the original message|message headers follow)|^(?:original message follows|received:|return-path:)/im;

/** Fields of a report (RFC 3464) that a server put into the text. */
const DELIVERY_STATUS = /^(?:Reporting-MTA|(?:Original|Final)-Recipient):/im;

/** Words for a permanent failure, of servers that quote no reply. */
const FAILURE = new RegExp(
  [
    String.raw`\b(?:not|n['’]t) (?:be |been )?delivered\b`,
    String.raw`\bundeliver(?:able|ed)\b`,
    String.raw`\b(?:unable to|not able to|could not|couldn['’]t) (?:be )?(?:deliver|reach)`,
    String.raw`\bdid not reach\b`,
    String.raw`\bdelivery (?:has )?fail(?:ed|ure)\b`,
    String.raw`\bpermanent(?:ly)? (?:fatal |delivery )?(?:error|fail)`,
    String.raw`\b(?:failed|returned mail|failure notice|was rejected|was aborted)\b`,
    String.raw`\berror (?:has )?occurred while (?:attempting|trying) to deliver\b|\berror delivering\b`,
    String.raw`\b(?:user unknown|unknown user|no such user|not a valid user)\b`,
  ].join('|'),
  'i',
);
/** Words of servers that will try again. */
const DELAY =
  /\bdelay(?:ed)?\b|\bnot yet been delivered\b|\bwill (?:be retried|be tried|continue|keep|try)\b|\bstill (?:being )?tr(?:y|ied)|\bwarning (?:message )?only\b/i;

/** Any address in a line, and what stands before the address of somebody else than who did not get the message. */
const ADDRESS = /[^\s<>()[\]"',;:=]{1,64}@[^\s<>()[\]"',;:=]{1,253}/;
const ABOUT_OTHERS =
  /^\s{0,20}(?:to|b?cc|subject|errors-to|message-id|x-[\w-]{1,40}):|\b(?:contact|questions?|assistance|help|please|from|sender|reply|addressed to)\b/i;

/** A line that names a recipient: alone, before a colon, or before the time in any language. */
const RECIPIENT =
  /^[ \t]{0,8}[<"]?([^\s<>:@"]{1,64}@[^\s<>:@"]{1,253})[>"]?(?::|[ \t]*$|[ \t][^\s\d]{1,9}[ \t]\d[\d .,/:-]{5,30})/;
/** A permanent reply, perhaps after words of the server that reports it; its words can be on the next lines, or its code be left out. */
const REPLY = /(?:^|[\s#:;'])(5\d\d(?:[ -]|: ).*)|said: (5\d\d)$|^(5\.\d{1,3}\.\d{1,3} .*)/;
/** A permanent status, as qmail and Exchange give their own. */
const STATUS = /[\s(<]#5\.\d{1,3}\.\d{1,3}[)>\s]/;

const MAX_LINES = 400;
const LINES_PER_RECIPIENT = 15;
const LINES_PER_REPLY = 6;
const LINES_OF_WORDS = 6;
const LINES_BEFORE = 2;

/**
 * The recipients that a bounce without structure says have failed, each with the reply that it quotes, or the words of the server
 * if it quotes none. Other addresses can be among them, so a caller takes those that the message was sent to.
 */
export function readPlainBounce(root: Part): RecipientReport[] {
  const text = ownTextOf(root);
  const named = namedRecipients(root);
  const isIntroduced = INTRODUCTION.test(text) || named.length > 0;
  if (!isIntroduced && !isFromMailServer(root) && !hasReturnedMessage(root)) return [];
  const fields = DELIVERY_STATUS.exec(text);
  const inText = fields ? readDeliveryStatus(Buffer.from(text.slice(fields.index))).recipients : [];
  if (inText.length > 0) return inText;
  const lines = linesOf(text);
  // Without a known introduction, a number could be anything.
  const quoted = quotedIn(lines).filter(({ enhancedCode }) => isIntroduced || enhancedCode?.startsWith('5'));
  if (quoted.length > 0) return quoted.slice(0, LIMITS.recipients);
  const subject = decodeRaw(bodyOf(root.fields, 'subject') ?? '', null);
  const inWords = reportedInWords(subject, lines);
  return (inWords.length > 0 ? inWords : failedAll(named, lines)).slice(0, LIMITS.recipients);
}

/** The replies that the text of a bounce quotes, by recipient. */
export function quotedReplies(root: Part): RecipientReport[] {
  return quotedIn(linesOf(ownTextOf(root)));
}

function ownTextOf(root: Part): string {
  const text = textIn(root);
  return text.slice(0, COPY.exec(text)?.index);
}

function linesOf(text: string): string[] {
  return text.split('\n', MAX_LINES).map((line) => line.slice(0, LIMITS.response));
}

function quotedIn(lines: string[]): RecipientReport[] {
  return lines.flatMap((line, index): RecipientReport[] => {
    const address = parseAddress(RECIPIENT.exec(line)?.[1])?.address;
    const report = address && replyAfter(lines, index);
    return report ? [reported('failed', address, report)] : [];
  });
}

type Reply = Pick<RecipientReport, 'smtpCode' | 'enhancedCode' | 'response'>;

function reported(action: RecipientReport['action'], address: string, reply: Reply): RecipientReport {
  return { action, addresses: [address], remoteMta: null, ...reply };
}

/** The recipients in the field of Exim and Google, whose bounces can be in any language. */
function namedRecipients({ fields }: Part): string[] {
  return addressesIn(decodeRaw(bodyOf(fields, 'x-failed-recipients') ?? '', null));
}

function failedAll(addresses: string[], lines: string[]): RecipientReport[] {
  const words = lines.filter((line) => !ADDRESS.test(line) && !INTRODUCTION.test(line));
  const reply = (addresses.length === 1 && replyAfter(lines, 0, lines.length)) || (wordsAt(words, 0) ?? NO_WORDS);
  return addresses.map((address) => reported('failed', address, reply));
}

/**
 * The addresses in a text that says in words that a message was not delivered, or not yet. One with a reply counts before one
 * without.
 */
function reportedInWords(subject: string, lines: string[]): RecipientReport[] {
  const text = `${subject}\n${lines.join('\n')}`;
  const isDelayed = DELAY.test(text);
  if (!isDelayed && !FAILURE.test(text)) return [];
  const found = new Map<string, RecipientReport>();
  for (const [index, line] of lines.entries()) {
    const match = ADDRESS.exec(line);
    const isOther = match && !REPLY.test(line) && ABOUT_OTHERS.test(line.slice(0, match.index));
    const address = isOther ? undefined : parseAddress(match?.[0])?.address;
    const reply = address && !isDelayed ? replyAfter(lines, index) : null;
    if (!address || (!reply && found.has(address))) continue;
    const words = reply ?? wordsAt(lines, index) ?? wordsAt(lines, index - LINES_BEFORE);
    found.set(address, reported(isDelayed ? 'delayed' : 'failed', address, words ?? NO_WORDS));
  }
  const [only, ...others] = [...found.values()];
  // Some servers quote the reply before the recipient.
  const reply =
    only?.action === 'failed' && only.smtpCode === null && others.length === 0 && replyAfter(lines, 0, lines.length);
  return reply ? [{ ...only, ...reply }] : [...found.values()];
}

/** The first line with words, from the line of an address on. */
function wordsAt(lines: string[], index: number): Reply | null {
  const hasWords = (line: string) => /\p{L}{2}.*\p{L}{2}/u.test(line.replace(ADDRESS, '')) && !/:\s*$/.test(line);
  const response = oneLine(lines.slice(Math.max(0, index), index + LINES_OF_WORDS).find(hasWords) ?? '');
  return response === '' ? null : { ...codesIn('', response), response };
}

const NO_WORDS: Reply = { smtpCode: null, enhancedCode: null, response: '' };

/** The own text of a bounce. */
function textIn(root: Part): string {
  const plain = findPart(root, /^text\/plain$/, LIMITS.depth);
  const part = plain ?? findPart(root, /^text\/html$/, LIMITS.depth);
  if (!part) return '';
  const text = decodeText(part.content().subarray(0, LIMITS.statusBytes), {
    declared: part.contentType.parameter('charset'),
  });
  return plain ? text.replaceAll('\r\n', '\n') : htmlToText(text);
}

const SERVER_ADDRESS = /^(?:mailer[._-]?daemon|post_?master|mail[._-]?daemon|mdaemon|"system administrator")@/i;
const SERVER_NAME =
  /^(?:mail deliver(?:y|er)? (?:sub)?system|mail(?:er)?[ -]?daemon|system administrator|mail administrator|mmsc .{0,20}administrator)$/i;

/** Mail servers write to people in many languages, but under these names. */
export function isFromMailServer({ fields }: Part): boolean {
  const [from] = readAddresses(bodyOf(fields, 'from') ?? '', null);
  return !from?.address || SERVER_ADDRESS.test(from.address) || SERVER_NAME.test(from.name);
}

/** Whether the message, or its header, is attached. */
function hasReturnedMessage(root: Part): boolean {
  return root.children.some(({ type }) => /^(?:message\/rfc822(?:-headers)?|text\/rfc822-headers)$/.test(type));
}

/** The first permanent reply in the lines about a recipient, which end where another one is named. */
function replyAfter(lines: string[], index: number, count = LINES_PER_RECIPIENT): Reply | null {
  const others = lines.slice(index + 1, index + count);
  const indent = indentOf(lines[index] ?? '');
  const end = others.findIndex((line) => RECIPIENT.test(line) && indentOf(line) <= indent);
  const about = [lines[index]?.replace(RECIPIENT, '') ?? '', ...(end < 0 ? others : others.slice(0, end))];
  for (const [at, line] of about.entries()) {
    const [, ...replies] = REPLY.exec(line.trimEnd()) ?? [];
    const reply = replies.find(Boolean) ?? (STATUS.test(line) ? line : null);
    const response = reply && oneLine(reply);
    if (response) return withRest(response, at === 0 ? (lines[index] ?? '') : line, about.slice(at + 1));
  }
  return null;
}

/** Adds the lines that a reply goes on with, which say why: they are indented, and no less than its first one. */
function withRest(start: string, line: string, next: string[]): Reply {
  const rest = next.slice(0, LINES_PER_REPLY);
  const end = rest.findIndex((each) => !isContinued(each, line) || /^\s*\(in reply to /.test(each));
  const words = (end < 0 ? rest : rest.slice(0, end)).map((each) => each.trim());
  const response = oneLine([start, ...words].join(' ').replace(/\s*\(in reply to [^)]*\)?\s*$/, ''));
  return { ...codesIn('', response), response };
}

function isContinued(line: string, first: string): boolean {
  return line.trim() !== '' && indentOf(line) >= Math.max(2, indentOf(first));
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
