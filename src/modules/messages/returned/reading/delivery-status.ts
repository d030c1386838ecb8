import { parseAddress } from '@/lib/mail/address';
import { readAddresses } from '@/mail/mime/addresses';
import { decodeRaw, type RawField, readFields } from '@/mail/mime/header-fields';
import { bodyOf } from '@/mail/mime/parts';
import { oneLine } from '@/mail/submission/smtp-reply';
import { LIMITS, type RecipientReport } from './report';

export type DeliveryStatus = { reportingMta: string | null; recipients: RecipientReport[]; isConfirmation: boolean };

/** Reads the content of message/delivery-status (RFC 3464): fields about the message, then a group of fields per recipient. */
export function readDeliveryStatus(content: Buffer): DeliveryStatus {
  const [message, ...others] = groupsIn(content.subarray(0, LIMITS.statusBytes));
  // Some servers leave out the fields about the message.
  const groups = message && isAboutRecipient(message) ? [message, ...others] : others;
  const actions = groups.map((fields) => textOf(fields, 'action')?.toLowerCase() ?? '');
  const recipients = groups.flatMap((fields) => {
    const action = actionOf(fields);
    return action ? recipientIn(fields, action) : [];
  });
  return {
    reportingMta: message ? serverIn(message, 'reporting-mta') : null,
    recipients,
    isConfirmation: recipients.length === 0 && actions.some((action) => action.startsWith('delivered')),
  };
}

const ACTIONS = new Map<string, RecipientReport['action']>([
  ['failed', 'failed'],
  // These aren't among the actions of RFC 3464, and in use.
  ['failure', 'failed'],
  ['fail', 'failed'],
  ['undeliverable', 'failed'],
  ['expired', 'failed'],
  ['delayed', 'delayed'],
  ['relayed', 'relayed'],
  ['expanded', 'relayed'],
]);

/** The action of a group. Without a known one, such as the `error` of OpenSMTPD, the class of the status tells whether it failed. */
function actionOf(fields: RawField[]): RecipientReport['action'] | null {
  const action = /^[a-z]+/i.exec(textOf(fields, 'action') ?? '')?.[0].toLowerCase() ?? '';
  if (action === 'delivered') return null;
  const known = ACTIONS.get(action);
  if (known) return known;
  const [, kind] = ENHANCED_CODE.exec(textOf(fields, 'status') ?? '') ?? [];
  if (kind === undefined || kind.startsWith('2')) return null;
  return kind.startsWith('5') ? 'failed' : 'delayed';
}

/** The groups of fields. Some servers leave out the empty line between recipients, or have one within a group. */
function groupsIn(content: Buffer): RawField[][] {
  const groups: RawField[][] = [];
  for (const group of paragraphsIn(content)
    .flatMap(dividedByRecipient)
    .slice(0, LIMITS.recipients + 1)) {
    const last = groups.at(-1);
    const isRest = last && namesRecipient(last) && !hasOutcome(last) && !namesRecipient(group);
    if (isRest) last.push(...group);
    else groups.push(group);
  }
  return groups;
}

function namesRecipient(fields: RawField[]): boolean {
  return bodyOf(fields, 'final-recipient') !== null || bodyOf(fields, 'original-recipient') !== null;
}

function hasOutcome(fields: RawField[]): boolean {
  return bodyOf(fields, 'action') !== null || bodyOf(fields, 'status') !== null;
}

/** A group for each Final-Recipient, with the Original-Recipient right before it. */
function dividedByRecipient(fields: RawField[]): RawField[][] {
  const groups: RawField[][] = [[]];
  let hasFinal = false;
  const nameOf = (index: number) => fields[index]?.name.toLowerCase();
  for (const [index, field] of fields.entries()) {
    const isFinal = nameOf(index) === 'final-recipient';
    const isOriginal = nameOf(index) === 'original-recipient' && nameOf(index + 1) === 'final-recipient';
    const begins = isOriginal || (isFinal && nameOf(index - 1) !== 'original-recipient');
    if (begins && hasFinal) groups.push([]);
    hasFinal ||= isFinal;
    groups.at(-1)?.push(field);
  }
  return groups;
}

function paragraphsIn(content: Buffer): RawField[][] {
  const groups: RawField[][] = [];
  let at = 0;
  while (at < content.length && groups.length <= LIMITS.recipients) {
    const { fields, bodyStart } = readFields(content, at);
    if (fields.length > 0) groups.push(fields);
    // A line that is no field is skipped.
    const lineEnd = bodyStart > at ? bodyStart - 1 : content.indexOf(0x0a, at);
    if (lineEnd < 0) break;
    at = lineEnd + 1;
  }
  return groups;
}

function isAboutRecipient(fields: RawField[]): boolean {
  return bodyOf(fields, 'final-recipient') !== null || bodyOf(fields, 'action') !== null;
}

function recipientIn(fields: RawField[], action: RecipientReport['action']): RecipientReport[] {
  const named = (...fieldNames: string[]) => fieldNames.flatMap((name) => addressesIn(textOf(fields, name)));
  const standard = named('original-recipient', 'final-recipient');
  const addresses = [...new Set(standard.length > 0 ? standard : named('x-actual-recipient'))];
  if (addresses.length === 0) return [];
  const diagnostic = typedValue(textOf(fields, 'diagnostic-code') || textOf(fields, 'x-supplementary-info'));
  const status = textOf(fields, 'status') ?? '';
  // A folded field has the white space that its lines began with.
  const response = oneLine((diagnostic ?? status).replace(/\s+/g, ' ')).slice(0, LIMITS.response);
  const remoteMta = serverIn(fields, 'remote-mta');
  return [{ action, addresses, ...codesIn(status, response), response, remoteMta }];
}

/** The codes of a status and a reply. Some servers give a general status, and the exact one in the reply only. */
export function codesIn(status: string, response: string): Pick<RecipientReport, 'smtpCode' | 'enhancedCode'> {
  const given = ENHANCED_CODE.exec(status)?.[1] ?? null;
  const inReply = [...response.matchAll(ENHANCED_CODES)].flatMap(([, code = '']) =>
    given === null || code[0] === given[0] ? code : [],
  );
  const exact = inReply.findLast((code) => !GENERAL_CODE.test(code)) ?? inReply[0];
  const isGeneral = given === null || GENERAL_CODE.test(given);
  const smtpCode = SMTP_CODE.exec(response)?.[1];
  return {
    smtpCode: smtpCode === undefined ? null : Number(smtpCode),
    enhancedCode: isGeneral ? (exact ?? given) : given,
  };
}

/** At the start, or after the words of the server that had the reply. */
const SMTP_CODE = /(?:^|(?:said|>|reason|returned): ?|<<< |returned ['"])([45]\d\d)(?![\d.])/;
const ENHANCED_CODE = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;
const ENHANCED_CODES = new RegExp(ENHANCED_CODE, 'g');
/** A code that says only what the failure is about in general. */
const GENERAL_CODE = /^[45]\.[0135]\.0$/;

function textOf(fields: RawField[], name: string): string | null {
  const body = bodyOf(fields, name);
  return body === null ? null : decodeRaw(body, null).trim();
}

/** The name of a server, of at most 255 characters and without control characters; null without one. */
function serverIn(fields: RawField[], name: string): string | null {
  return oneLine(typedValue(textOf(fields, name)) ?? '').slice(0, LIMITS.server) || null;
}

/** The value after its type, such as that of `smtp; 550 No such user`. */
function typedValue(text: string | null): string | null {
  const value = text?.replace(/^[\w-]{1,40}[ \t]{0,10};/, '').trim();
  return value || null;
}

export function addressesIn(text: string | null): string[] {
  const value = typedValue(text)?.replace(/^<|>$/g, '') ?? '';
  // An original recipient may still be encoded (RFC 3461, 4).
  const decoded = value.replace(/\+([0-9A-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  const plain = [...new Set([value, decoded])].flatMap((address) => parseAddress(address)?.address ?? []);
  if (plain.length > 0 || !/[ <("':]/.test(value)) return plain;
  // Some servers give a name or a comment, too.
  return readAddresses(value, null).flatMap(({ address }) => parseAddress(address)?.address ?? []);
}
