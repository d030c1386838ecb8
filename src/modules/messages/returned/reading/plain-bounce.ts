import { parseAddress } from '@/lib/mail/address';
import { readAddresses } from '@/mail/mime/addresses';
import { decodeText } from '@/mail/mime/decode-text';
import { decodeRaw } from '@/mail/mime/header-fields';
import { htmlToText } from '@/mail/mime/html-text';
import { bodyOf, type Part } from '@/mail/mime/parts';
import { oneLine } from '@/mail/submission/smtp-reply';
import { codesIn, readDeliveryStatus } from './delivery-status';
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
  /^-{2,} ?(?:Below this line is a copy|This is a copy of|The header of the original|The body of|Original message)|^Original message headers:|^ {0,3}-{3,} The following is|^(?:original message follows|received:|return-path:)/im;

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
    String.raw`\b(?:failed|returned mail|failure notice|was rejected)\b`,
    String.raw`\b(?:user unknown|unknown user|no such user|not a valid user)\b`,
  ].join('|'),
  'i',
);
/** Words of servers that will try again. */
const DELAY =
  /\bdelay(?:ed)?\b|\bnot yet been delivered\b|\bwill (?:be retried|be tried|continue|keep|try)\b|\bstill (?:being )?tr(?:y|ied)|\bwarning (?:message )?only\b/i;

/** Any address in a line, and lines that are about others than who did not get the message. */
const ADDRESS = /[^\s<>()[\]"',;:=]{1,64}@[^\s<>()[\]"',;:=]{1,253}/;
const ABOUT_OTHERS =
  /^\s{0,20}(?:to|b?cc|subject|errors-to|message-id|x-[\w-]{1,40}):|\b(?:contact|questions?|assistance|help|please|from|sender|reply|addressed to)\b/i;

/** A line that names a recipient: alone, before a colon, or before the time in any language. */
const RECIPIENT =
  /^[ \t]{0,8}<?([^\s<>:@]{1,64}@[^\s<>:@]{1,253})>?(?::|[ \t]*$|[ \t][^\s\d]{1,9}[ \t]\d[\d .,/:-]{5,30})/;
/** A permanent reply, perhaps after words of the server that reports it. */
const REPLY = /(?:^|[\s#:;'])(5\d\d(?:[ -]|: ).*)/;
/** A permanent status, as qmail and Exchange give their own. */
const STATUS = /[\s(<]#5\.\d{1,3}\.\d{1,3}[)>\s]/;

const MAX_LINES = 400;
const LINES_PER_RECIPIENT = 15;
const LINES_OF_WORDS = 6;

/**
 * The recipients that a bounce without structure says have failed, each with the reply that it quotes, or the words of the server
 * if it quotes none. Other addresses can be among them, so a caller takes those that the message was sent to.
 */
export function readPlainBounce(root: Part): RecipientReport[] {
  const text = textIn(root);
  const own = text.slice(0, COPY.exec(text)?.index);
  const isIntroduced = INTRODUCTION.test(own);
  if (!isIntroduced && !isFromMailServer(root)) return [];
  const fields = DELIVERY_STATUS.exec(own);
  if (fields) return readDeliveryStatus(Buffer.from(own.slice(fields.index))).recipients;
  const lines = own.split('\n', MAX_LINES).map((line) => line.slice(0, LIMITS.response));
  const quoted = lines.flatMap((line, index): RecipientReport[] => {
    const address = parseAddress(RECIPIENT.exec(line)?.[1])?.address;
    const report = address && replyAfter(lines, index);
    // Without a known introduction, a number could be anything.
    return report && (isIntroduced || report.enhancedCode?.startsWith('5')) ? [failed(address, report)] : [];
  });
  const subject = decodeRaw(bodyOf(root.fields, 'subject') ?? '', null);
  return (quoted.length > 0 ? quoted : failedInWords(subject, lines)).slice(0, LIMITS.recipients);
}

type Reply = Pick<RecipientReport, 'smtpCode' | 'enhancedCode' | 'response'>;

function failed(address: string, reply: Reply): RecipientReport {
  return { action: 'failed', addresses: [address], remoteMta: null, ...reply };
}

/** The addresses in a text that says in words that a message was not delivered. One with a reply counts before one without. */
function failedInWords(subject: string, lines: string[]): RecipientReport[] {
  const text = `${subject}\n${lines.join('\n')}`;
  if (!FAILURE.test(text) || DELAY.test(text)) return [];
  const found = new Map<string, RecipientReport>();
  for (const [index, line] of lines.entries()) {
    const address = ABOUT_OTHERS.test(line) ? undefined : parseAddress(ADDRESS.exec(line)?.[0])?.address;
    const reply = address && replyAfter(lines, index);
    if (address && (reply || !found.has(address))) found.set(address, failed(address, reply || wordsAt(lines, index)));
  }
  return [...found.values()];
}

/** The first line with words, from the line of an address on. */
function wordsAt(lines: string[], index: number): Reply {
  const hasWords = (line: string) => /\p{L}{2}.*\p{L}{2}/u.test(line.replace(ADDRESS, '')) && !/:\s*$/.test(line);
  const response = oneLine(lines.slice(index, index + LINES_OF_WORDS).find(hasWords) ?? '');
  return { ...codesIn('', response), response };
}

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

const SERVER_ADDRESS = /^(?:mailer-daemon|postmaster|mail-daemon|mdaemon|"system administrator")@/i;
const SERVER_NAME = /^(?:mail delivery (?:sub)?system|system administrator|mail administrator)$/i;

/** Mail servers write to people in many languages, but under these names. */
function isFromMailServer({ fields }: Part): boolean {
  const [from] = readAddresses(bodyOf(fields, 'from') ?? '', null);
  return !from?.address || SERVER_ADDRESS.test(from.address) || SERVER_NAME.test(from.name);
}

/** The first permanent reply in the lines about a recipient, which end where another one is named. */
function replyAfter(lines: string[], index: number): Reply | null {
  const first = lines[index]?.replace(RECIPIENT, '') ?? '';
  const others = lines.slice(index + 1, index + LINES_PER_RECIPIENT);
  const end = others.findIndex((line) => RECIPIENT.test(line));
  for (const line of [first, ...(end < 0 ? others : others.slice(0, end))]) {
    const reply = REPLY.exec(line)?.[1] ?? (STATUS.test(line) ? line : null);
    const response = reply && oneLine(reply);
    if (response) return { ...codesIn('', response), response };
  }
  return null;
}
