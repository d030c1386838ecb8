import { type Message, readMessage } from '@/mail/mime/message';
import { type ReportSender, senderOf } from './authentication';
import { LIMITS } from './report';

export type ReportFile = {
  bytes: Uint8Array;
  /** Whether its name or type says that it is a report. Others are looked at too, and nothing is wrong with them if they are none. */
  isNamed: boolean;
  /** The domain that the message says the report is about, in the file’s name or in a field (RFC 8460, 5.1 and 5.3). */
  domain?: string | null;
};

export type FoundFiles = { files: ReportFile[]; filesOverLimit: number; sender: ReportSender | null };

const MAX_FILES = 20;
/** Depth of messages that are attached to one another. */
const MAX_DEPTH = 3;
// Base64 adds a third, and line breaks.
const MAX_MAIL_BYTES = LIMITS.compressedBytes * 1.5;
const PACKED_TYPE = /^application\/(x-)?(zip|gzip|gunzip|compressed|zip-compressed|tlsrpt\+gzip)$/i;
const PLAIN_TYPE = /^(text|application)\/([\w.-]+\+)?(xml|json)$/i;
const REPORT_NAME = /\.(xml|json|zip|gz|gzip)\s*$/i;
/** Files that are packed as zip too. */
const OTHER_NAME = /\.(docx|xlsx|pptx|od[tsp]|jar|apk|epub)\s*$/i;

/** The files in a message that may be reports: attached, in its text, or in messages that are attached to it. */
export function filesInMail(raw: Uint8Array, mailHost: string | undefined): FoundFiles {
  if (raw.byteLength > MAX_MAIL_BYTES) {
    const bytes = new Uint8Array(LIMITS.compressedBytes + 1);
    return { files: [{ bytes, isNamed: true }], filesOverLimit: 0, sender: null };
  }
  const message = readMessage(raw);
  const files = filesIn(message, MAX_DEPTH);
  return {
    files: files.slice(0, MAX_FILES),
    filesOverLimit: Math.max(0, files.length - MAX_FILES),
    sender: senderOf(message.header.fields(), message.header.addresses('from')[0]?.address, mailHost),
  };
}

function filesIn({ attachments, text, header }: Message, depth: number): ReportFile[] {
  const files: ReportFile[] = [];
  const inField = header.value('tls-report-domain');
  for (const { mimeType, filename, content: bytes } of attachments) {
    const name = filename ?? '';

    if (/^message\/(rfc822|global)$/i.test(mimeType) || /\.eml\s*$/i.test(name)) {
      if (depth > 1) files.push(...filesIn(readMessage(bytes), depth - 1));
      continue;
    }
    const isNamed = PACKED_TYPE.test(mimeType) || PLAIN_TYPE.test(mimeType) || REPORT_NAME.test(name);
    const domain = DOMAIN_IN_NAME.exec(name)?.[1] ?? inField;
    if (isNamed || (looksLikeReport(bytes) && !OTHER_NAME.test(name))) files.push({ bytes, isNamed, domain });
  }
  return [...files, ...reportsInText(text ?? '')];
}

const DOMAIN_IN_NAME = /^[^!]{1,253}!([^!]{1,253})!\d{1,12}!\d{1,12}(?![^!.])/;

const SNIFFED_BYTES = 4_096;

function looksLikeReport(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0x1f && second === 0x8b) || (first === 0x50 && second === 0x4b)) return true;
  // UTF-16 has a NUL in each character.
  const start = Buffer.from(bytes.subarray(0, SNIFFED_BYTES)).toString('latin1').replaceAll('\0', '');
  return START_OF_XML.test(start) || (/^[^{]{0,100}\{/.test(start) && TLS_FIELD.test(start));
}

const START_OF_XML = /<([\w-]+:)?feedback[\s>]/i;
const TLS_FIELD = /"(organization-name|date-range|policies)"\s*:/i;

/** A report that a mail program has put into the text of the message. */
function reportsInText(text: string): ReportFile[] {
  const xml = text.search(START_OF_XML);
  if (xml >= 0) return [{ bytes: new TextEncoder().encode(text.slice(xml)), isNamed: false }];
  if (!TLS_FIELD.test(text)) return [];
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return [{ bytes: new TextEncoder().encode(json), isNamed: false }];
}
