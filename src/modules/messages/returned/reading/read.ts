import { bodyOf, type Part, readPart } from '@/mail/mime/parts';
import { readComplaint } from './complaint';
import { readDeliveryStatus } from './delivery-status';
import { findPart } from './find-part';
import { readPlainBounce } from './plain-bounce';
import { LIMITS, type ReturnedMail } from './report';

/** Reads mail that came back. Runs in a worker thread. @throws if its parts can't be read */
export async function readReturned({ bytes }: { bytes: Uint8Array }): Promise<ReturnedMail> {
  const { buffer, byteOffset, byteLength } = bytes;
  const root = readPart(Buffer.from(buffer, byteOffset, Math.min(byteLength, LIMITS.bytes)));
  const feedback = findPart(root, /^message\/feedback-report$/, LIMITS.depth);
  if (feedback) return readComplaint(root, feedback);
  const status = findPart(root, /^message\/(?:global-)?delivery-status$/, LIMITS.depth);
  const { isConfirmation, ...report } = readDeliveryStatus(status?.content() ?? Buffer.alloc(0));
  if (report.recipients.length > 0) return { kind: 'bounce', ...report };
  return isConfirmation ? { kind: 'nothing' } : readWithoutStructure(root);
}

function readWithoutStructure(root: Part): ReturnedMail {
  const recipients = readPlainBounce(root);
  if (recipients.length > 0) return { kind: 'bounce', reportingMta: null, recipients };
  return { kind: isAnswer(root) ? 'answer' : 'unreadable' };
}

/**
 * Whether somebody's mail program answered by itself (RFC 3834), for example that they are on holiday, or confirms that the message
 * was read (RFC 8098).
 */
function isAnswer(root: Part): boolean {
  const of = (name: string) => bodyOf(root.fields, name)?.trim() ?? '';
  const isAutomatic = /^auto-replied\b/i.test(of('auto-submitted')) || /^auto[_-]?reply$/i.test(of('precedence'));
  const isMarked = ['x-autoreply', 'x-autorespond'].some((name) => /^(?!no$)./i.test(of(name)));
  return isAutomatic || isMarked || findPart(root, CONFIRMATION, LIMITS.depth) !== null;
}

const CONFIRMATION = /^message\/(?:global-)?disposition-notification$/;
