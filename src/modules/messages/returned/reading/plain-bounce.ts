import { parseAddress } from '@/lib/mail/address';
import { readAddresses } from '@/mail/mime/addresses';
import { htmlToText } from '@/mail/mime/html-text';
import { bodyOf, type Part } from '@/mail/mime/parts';
import { oneLine } from '@/mail/submission/smtp-reply';
import { codesIn } from './delivery-status';
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
  /^-{2,} ?(?:Below this line is a copy|This is a copy of|The header of the original|The body of|Original message)|^Original message headers:|^ {0,3}-{3,} The following is/im;

/** A line that names a recipient: alone, before a colon, or before the time in any language. */
const RECIPIENT =
  /^[ \t]{0,8}<?([^\s<>:@]{1,64}@[^\s<>:@]{1,253})>?(?::|[ \t]*$|[ \t][^\s\d]{1,9}[ \t]\d[\d .,/:-]{5,30})/;
/** A permanent reply, perhaps after words of the server that reports it. */
const REPLY = /(?:^|[\s#:;'])(5\d\d(?:[ -]|: ).*)/;
/** A permanent status, as qmail and Exchange give their own. */
const STATUS = /[\s(<]#5\.\d{1,3}\.\d{1,3}[)>\s]/;

const MAX_LINES = 400;
const LINES_PER_RECIPIENT = 15;

/** The recipients that a bounce without structure says have failed, each with the reply that it quotes. */
export function readPlainBounce(root: Part): RecipientReport[] {
  const text = textIn(root);
  const own = text.slice(0, COPY.exec(text)?.index);
  const isIntroduced = INTRODUCTION.test(own);
  if (!isIntroduced && !isFromMailServer(root)) return [];
  const lines = own.split('\n', MAX_LINES);
  const found = lines.flatMap((line, index): RecipientReport[] => {
    const address = parseAddress(RECIPIENT.exec(line.slice(0, LIMITS.response))?.[1])?.address;
    const report = address && replyAfter(lines, index);
    // Without a known introduction, a number could be anything.
    return report && (isIntroduced || report.enhancedCode?.startsWith('5'))
      ? [{ action: 'failed', addresses: [address], remoteMta: null, ...report }]
      : [];
  });
  return found.slice(0, LIMITS.recipients);
}

/** Returns the text of a bounce as Latin-1: its addresses, replies and statuses are ASCII in every language. */
function textIn(root: Part): string {
  const plain = findPart(root, /^text\/plain$/, LIMITS.depth);
  const part = plain ?? findPart(root, /^text\/html$/, LIMITS.depth);
  const text = part?.content().subarray(0, LIMITS.statusBytes).toString('latin1') ?? '';
  return plain ? text.replaceAll('\r\n', '\n') : htmlToText(text);
}

/** Mail servers write to people in many languages, but under these names. */
function isFromMailServer({ fields }: Part): boolean {
  const [from] = readAddresses(bodyOf(fields, 'from') ?? '', null);
  return /^(?:mailer-daemon|postmaster|mail-daemon)@/i.test(from?.address ?? '');
}

/** The first permanent reply in the lines about a recipient, which end where another one is named. */
function replyAfter(
  lines: string[],
  index: number,
): Pick<RecipientReport, 'smtpCode' | 'enhancedCode' | 'response'> | null {
  const first = lines[index]?.replace(RECIPIENT, '') ?? '';
  const others = lines.slice(index + 1, index + LINES_PER_RECIPIENT);
  const end = others.findIndex((line) => RECIPIENT.test(line.slice(0, LIMITS.response)));
  for (const line of [first, ...(end < 0 ? others : others.slice(0, end))]) {
    const start = line.slice(0, LIMITS.response);
    const reply = REPLY.exec(start)?.[1] ?? (STATUS.test(start) ? start : null);
    const response = reply && oneLine(reply);
    if (response) return { ...codesIn('', response), response };
  }
  return null;
}
