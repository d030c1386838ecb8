import { parseAddress } from '@/lib/mail/address';
import { type RawField, readFields } from '@/mail/mime/header-fields';
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
  const recipients = groups.flatMap((fields, index) => {
    const action = ACTIONS.get(/^[a-z]+/.exec(actions[index] ?? '')?.[0] ?? '');
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
  ['delayed', 'delayed'],
  ['relayed', 'relayed'],
  ['expanded', 'relayed'],
]);

function groupsIn(content: Buffer): RawField[][] {
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
  const names = ['original-recipient', 'final-recipient'].flatMap((name) => addressesIn(textOf(fields, name)));
  const addresses = [...new Set(names)];
  if (addresses.length === 0) return [];
  const diagnostic = typedValue(textOf(fields, 'diagnostic-code'));
  const status = textOf(fields, 'status') ?? '';
  const response = oneLine(diagnostic ?? status).slice(0, LIMITS.response);
  const remoteMta = serverIn(fields, 'remote-mta');
  return [{ action, addresses, ...codesIn(status, response), response, remoteMta }];
}

/** The codes of a status and a reply. Some servers give a general status, and the exact one in the reply only. */
export function codesIn(status: string, response: string): Pick<RecipientReport, 'smtpCode' | 'enhancedCode'> {
  const given = ENHANCED_CODE.exec(status)?.[1] ?? null;
  const inReply = ENHANCED_CODE.exec(response)?.[1] ?? null;
  const isGeneral = given === null || /^[45]\.0\.0$/.test(given);
  const smtpCode = /^([45]\d\d)(?![\d.])/.exec(response)?.[1];
  return {
    smtpCode: smtpCode === undefined ? null : Number(smtpCode),
    enhancedCode: isGeneral && inReply !== null ? inReply : given,
  };
}

const ENHANCED_CODE = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

function textOf(fields: RawField[], name: string): string | null {
  const body = bodyOf(fields, name);
  return body === null ? null : body.trim();
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
  return [...new Set([value, decoded])].flatMap((address) => parseAddress(address)?.address ?? []);
}
