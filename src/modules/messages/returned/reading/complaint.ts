import { isBounceAddress } from '@/lib/mail/report-addresses';
import { type RawField, readFields } from '@/mail/mime/header-fields';
import { bodyOf, type Part } from '@/mail/mime/parts';
import { addressesIn } from './delivery-status';
import { findPart } from './find-part';
import { LIMITS, type ReturnedMail } from './report';

const MAX_SENDERS = 20;
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
  const original = findPart(root, /^message\/rfc822(?:-headers)?$|^text\/rfc822-headers$/, LIMITS.depth);
  const header = original ? headerOf(original) : [];
  const text = [...fields, ...header].map(({ raw }) => raw).join('\n');
  const senders = new Set(text.match(BOUNCE_ADDRESSES)?.filter(isBounceAddress));
  const named = fields.filter(({ name }) => /^original-rcpt-to$/i.test(name)).map(({ raw }) => raw);
  return {
    kind: 'complaint',
    type,
    senders: [...senders].slice(0, MAX_SENDERS),
    recipients: named.slice(0, LIMITS.recipients).flatMap((address) => addressesIn(address)),
  };
}

function headerOf(part: Part): RawField[] {
  return readFields(part.content().subarray(0, LIMITS.statusBytes)).fields;
}
