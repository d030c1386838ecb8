import { decodeText } from './decode-text';
import { joinFlowed } from './flowed';
import { decodeRaw, strip } from './header-fields';
import { htmlToText, textToHtml } from './html-text';
import { type MailFile, readTnef, takeUuencoded } from './packed-files';
import { bodyOf, type Part, readPart } from './parts';
import { signedContent } from './signed-content';

/** The protection that a message claims: that it can be read only with a key, or was signed. Neither is verified. */
type Protection = 'encrypted' | 'signed';

/** The content of a message as its reader sees it; `text` and `html` are null if it has none. */
export type Bodies = {
  text: string | null;
  html: string | null;
  attachments: MailFile[];
  protection: Protection | null;
};

/**
 * Divides the parts of a message into text and files. Texts that aren't alternatives of each other follow each other;
 * what is only there as HTML is converted for the text, and the other way round, unless all of it is.
 */
export function bodiesOf(root: Part, hint: string | null): Bodies {
  const leaves = leavesOf(root);
  const isBody = bodyTest(root, leaves);
  const blocks = new Map<Part, Block>();
  const attachments: MailFile[] = [];
  for (const leaf of leaves) {
    const { part, alternative } = leaf;
    if (!isBody(leaf)) {
      if (!isHiddenAlternative(leaf)) attachments.push(...filesOf(part, hint));
      continue;
    }
    const block = blocks.get(alternative ?? part) ?? { text: [], html: [] };
    blocks.set(alternative ?? part, block);
    if (part.type === 'text/html') block.html.push(textOf(part, part.content(), hint));
    else {
      const { rest, files } = takeUuencoded(part.content());
      block.text.push(textOf(part, rest, hint));
      attachments.push(...files);
    }
  }
  const { text, html } = joined([...blocks.values()]);
  return { text, html, attachments, protection: protectionOf(root, text) };
}

type Block = { text: string[]; html: string[] };

type Leaf = { part: Part; alternative: Part | null };

function leavesOf(part: Part, alternative: Part | null = null, depth = 0): Leaf[] {
  if (part.children.length === 0) return [{ part, alternative }, ...leavesInSigned(part, alternative, depth)];
  const inner = part.type === 'multipart/alternative' ? part : alternative;
  return part.children.flatMap((child) => leavesOf(child, inner, depth));
}

// Messages that are signed twice are rare.
const MAX_SIGNED = 3;

/** Returns the parts in a file that is signed and not encrypted, which every mail program shows. The file stays, with its signature. */
function leavesInSigned(part: Part, alternative: Part | null, depth: number): Leaf[] {
  if (depth >= MAX_SIGNED || !isSmime(part) || !isOnlySigned(part)) return [];
  const content = signedContent(part.content());
  return content ? leavesOf(readPart(content), alternative, depth + 1) : [];
}

/**
 * A named text is a file, unless it is the message, one of alternatives, or the first text of a message without other
 * texts.
 */
function bodyTest(root: Part, leaves: Leaf[]): (leaf: Leaf) => boolean {
  const texts = leaves.filter(({ part }) => isText(part));
  const isNamed = ({ part }: Leaf) => nameOf(part, null) !== null;
  const first = texts.every(isNamed) ? texts[0] : undefined;
  return (leaf) => {
    if (!isText(leaf.part))
      return leaf.part === root && READABLE.test(root.type) && !isAttached(root) && !isNamed(leaf);
    return !isNamed(leaf) || leaf.part === root || leaf.alternative !== null || leaf === first;
  };
}

/** A message that is only a text of another kind, not data. */
const READABLE = /^text\/(?!xml|json|csv|calendar|directory|rtf|(?:x-)?vcard)/;

function isText(part: Part): boolean {
  return (part.type === 'text/plain' || part.type === 'text/html') && !isAttached(part);
}

function isAttached({ disposition }: Part): boolean {
  return disposition.value === 'attachment';
}

/** Another form of the text, for certain programs. Other parts are files. */
function isHiddenAlternative({ part, alternative }: Leaf): boolean {
  const isOtherForm = /^text\/(?:x-amp-html|watch-html|enriched|richtext)$/.test(part.type);
  return isOtherForm && alternative?.children.some(isText) === true && !isAttached(part);
}

function textOf({ type, contentType }: Part, content: Buffer, hint: string | null): string {
  const declared = contentType.parameter('charset');
  const text = decodeText(content, { declared, hint, isHtml: type === 'text/html' })
    .replace(/\r\n?/g, '\n')
    .replace(/^\ufeff/, '');
  const isFlowed = type === 'text/plain' && contentType.parameter('format')?.toLowerCase() === 'flowed';
  return isFlowed ? joinFlowed(text, contentType.parameter('delsp')?.toLowerCase() === 'yes') : text;
}

function joined(blocks: Block[]): Pick<Bodies, 'text' | 'html'> {
  const has = (kind: keyof Block) => blocks.some((block) => block[kind].length > 0);
  const join = (kind: keyof Block, convert: (other: string) => string) => {
    const other = kind === 'text' ? 'html' : 'text';
    return blocks.flatMap((block) => (block[kind].length > 0 ? block[kind] : block[other].map(convert))).join('\n');
  };
  return {
    text: (has('text') && join('text', htmlToText)) || null,
    html: (has('html') && join('html', textToHtml)) || null,
  };
}

function filesOf(part: Part, hint: string | null): MailFile[] {
  const content = part.content();
  const filename = nameOf(part, hint);
  const isTnef =
    part.type === 'application/ms-tnef' ||
    part.type === 'application/vnd.ms-tnef' ||
    /^winmail\.dat$/i.test(filename ?? '');
  const { files, areAll } = isTnef ? readTnef(content) : { files: [], areAll: false };
  if (files.length > 0 && areAll) return files;
  return [
    { filename, mimeType: part.type, disposition: dispositionOf(part), contentId: contentIdOf(part, hint), content },
    ...files,
  ];
}

/** Types that nobody knows are attachments (RFC 2183, 2.8). */
function dispositionOf({ disposition: { value } }: Part): MailFile['disposition'] {
  if (!/^[\w!#$&^.+-]+$/.test(value)) return null;
  return value === 'inline' ? 'inline' : 'attachment';
}

function contentIdOf({ fields }: Part, hint: string | null): string | null {
  const text = decodeRaw(bodyOf(fields, 'content-id') ?? '', hint);
  const id = /<([^<>]*)>/.exec(text)?.[1] ?? strip(text, '< \t', '> \t');
  return id.trim() || null;
}

function nameOf({ disposition, contentType }: Part, hint: string | null): string | null {
  const names = [
    disposition.parameter('filename', hint),
    contentType.parameter('name', hint),
    // Some programs confuse the two parameters.
    disposition.parameter('name', hint),
    contentType.parameter('filename', hint),
  ];
  return names.map((name) => name?.replace(/[\r\n]+/g, ' ').trim()).find(Boolean) ?? null;
}

function protectionOf(root: Part, text: string | null): Protection | null {
  if (text?.startsWith('-----BEGIN PGP MESSAGE-----')) return 'encrypted';
  if (text?.startsWith('-----BEGIN PGP SIGNED MESSAGE-----')) return 'signed';
  return protectedPart(root);
}

function protectedPart(part: Part): Protection | null {
  const { type, children } = part;
  if (type === 'multipart/encrypted') return 'encrypted';
  if (type === 'multipart/signed') return 'signed';
  if (isSmime(part)) return isOnlySigned(part) ? 'signed' : 'encrypted';
  for (const child of children) {
    const protection = protectedPart(child);
    if (protection) return protection;
  }
  return null;
}

/** Also a part that gateways have given the general type (RFC 8551, 3.9). */
function isSmime(part: Part): boolean {
  if (/^application\/(?:x-)?pkcs7-mime$/.test(part.type)) return true;
  return part.type === 'application/octet-stream' && /^smime\.p7m$/i.test(nameOf(part, null) ?? '');
}

/** Whether S/MIME content is signed and not encrypted, by its parameter, or else by its first bytes. */
function isOnlySigned({ contentType, content }: Part): boolean {
  const type = contentType.parameter('smime-type');
  if (type) return /^(?:signed-data|certs-only)$/i.test(type);
  return content().subarray(0, START_BYTES).includes(SIGNED_DATA);
}

const START_BYTES = 64;
/** The object identifier at the start of signed content (RFC 5652, 5.1). */
const SIGNED_DATA = Buffer.from('06092a864886f70d010702', 'hex');
