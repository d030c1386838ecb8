import { isBounceAddress } from '@/lib/mail/report-addresses';
import { type RawField, readFields } from '@/mail/mime/header-fields';
import { bodyOf, type Part } from '@/mail/mime/parts';
import { addressesIn } from './delivery-status';
import { findPart } from './find-part';
import { LIMITS, type ReturnedMail } from './report';

const MAX_SENDERS = 20;
/** Outlook.com gives the recipient in the header of the message, also beside a report without one. */
const RECIPIENT_FIELD = /^(?:original-rcpt-to|x-hmxmroriginalrecipient)$/i;
const BOUNCE_ADDRESSES = /bounces\+[0-9a-f]{52}@[a-z0-9.-]{1,253}/gi;

/**
 * Reads a complaint (RFC 5965). Which message it is about is shown by its bounce address, which stands in the report or the header of
 * the message that is attached: providers leave out other parts, recipients above all.
 */
export function readComplaint(root: Part, feedback: Part): ReturnedMail {
  const content = feedback.content().subarray(0, LIMITS.statusBytes);
  const { fields } = readFields(content);
  const type = /^[a-z-]+/.exec((bodyOf(fields, 'feedback-type') ?? '').trim().toLowerCase())?.[0];
  if (type !== 'abuse' && type !== 'opt-out') return { kind: type ? 'nothing' : 'unreadable' };
  return complaintOf(type, [...fields, ...originalHeader(root)]);
}

/** Reads a complaint of Outlook.com without a report: only the message is attached, with the recipient in a field of its header. */
export function readOutlookComplaint(root: Part): ReturnedMail | null {
  const header = originalHeader(root);
  return bodyOf(header, 'x-hmxmroriginalrecipient') === null ? null : complaintOf('abuse', header);
}

function complaintOf(type: 'abuse' | 'opt-out', fields: RawField[]): ReturnedMail {
  const text = fields.map(({ raw }) => raw).join('\n');
  const senders = new Set(text.match(BOUNCE_ADDRESSES)?.filter(isBounceAddress));
  const named = fields.filter(({ name }) => RECIPIENT_FIELD.test(name)).map(({ raw }) => raw);
  return {
    kind: 'complaint',
    type,
    senders: [...senders].slice(0, MAX_SENDERS),
    recipients: named.slice(0, LIMITS.recipients).flatMap((address) => addressesIn(address)),
  };
}

/** The header of the message that is attached. */
function originalHeader(root: Part): RawField[] {
  const original = findPart(root, /^message\/rfc822(?:-headers)?$|^text\/rfc822-headers$/, LIMITS.depth);
  return original ? readFields(original.content().subarray(0, LIMITS.statusBytes)).fields : [];
}
