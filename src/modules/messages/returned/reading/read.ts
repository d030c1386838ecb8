import { bodyOf, type Part, readPart } from '@/mail/mime/parts';
import { readComplaint, readOutlookComplaint } from './complaint';
import { readDeliveryStatus } from './delivery-status';
import { findPart } from './find-part';
import { isFromMailServer, quotedReplies, readPlainBounce } from './plain-bounce';
import { LIMITS, type RecipientReport, type ReturnedMail } from './report';

/** Reads mail that came back. Runs in a worker thread. @throws if its parts can't be read */
export async function readReturned({ bytes }: { bytes: Uint8Array }): Promise<ReturnedMail> {
  const { buffer, byteOffset, byteLength } = bytes;
  const root = readPart(Buffer.from(buffer, byteOffset, Math.min(byteLength, LIMITS.bytes)));
  const feedback = findPart(root, /^message\/feedback-report$/, LIMITS.depth);
  if (feedback) return readComplaint(root, feedback);
  const status = findPart(root, /^message\/(?:global-)?delivery-status$/, LIMITS.depth);
  const { isConfirmation, ...report } = readDeliveryStatus(status?.content() ?? Buffer.alloc(0));
  if (report.recipients.length > 0) {
    return { kind: 'bounce', ...report, recipients: withQuotedReplies(report.recipients, root), isByServer: true };
  }
  if (isConfirmation) return { kind: 'nothing' };
  return readOutlookComplaint(root) ?? readWithoutStructure(root, status !== null);
}

/** Some servers leave the reply out of the report, and quote it in the text. */
function withQuotedReplies(recipients: RecipientReport[], root: Part): RecipientReport[] {
  const isBare = ({ action, response }: RecipientReport) => action === 'failed' && STATUS_ALONE.test(response);
  if (!recipients.some(isBare)) return recipients;
  const quoted = new Map(quotedReplies(root).flatMap((reply) => reply.addresses.map((address) => [address, reply])));
  return recipients.map((report) => {
    const reply = isBare(report) ? report.addresses.map((address) => quoted.get(address)).find(Boolean) : undefined;
    if (!reply) return report;
    const { smtpCode, enhancedCode, response } = reply;
    return { ...report, smtpCode, enhancedCode: enhancedCode ?? report.enhancedCode, response };
  });
}

const STATUS_ALONE = /^(?:[245]\.\d{1,3}\.\d{1,3})?(?: ?\([\w ]{1,50}\))?$/;

function readWithoutStructure(root: Part, hasReport: boolean): ReturnedMail {
  const recipients = readPlainBounce(root);
  if (recipients.length > 0) {
    return { kind: 'bounce', reportingMta: null, recipients, isByServer: isFromMailServer(root) };
  }
  // Postfix and Exim mark their bounces as answers, too.
  return { kind: !hasReport && isAnswer(root) ? 'answer' : 'unreadable' };
}

/**
 * Whether somebody's mail program answered by itself (RFC 3834), for example that they are on holiday, or confirms that the message
 * was read (RFC 8098). Exchange and iCloud mark their answers with fields of their own.
 */
function isAnswer(root: Part): boolean {
  const of = (name: string) => bodyOf(root.fields, name)?.trim() ?? '';
  const isAutomatic = /^auto-replied\b/i.test(of('auto-submitted')) || /^auto[_-]?reply$/i.test(of('precedence'));
  const isMarked = MARKS.some((name) => /^(?!no$)./i.test(of(name))) || /vacation/i.test(of('x-apple-action'));
  return isAutomatic || isMarked || findPart(root, CONFIRMATION, LIMITS.depth) !== null;
}

const MARKS = ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress', 'x-ms-exchange-inbox-rules-loop'];
const CONFIRMATION = /^message\/(?:global-)?disposition-notification$/;
