import { encode as encodeBase64, wrap as wrapBase64 } from 'nodemailer/lib/base64';
import type MimeNode from 'nodemailer/lib/mime-node';
import { encode as encodeQuotedPrintable, wrap as wrapQuotedPrintable } from 'nodemailer/lib/qp';

/**
 * The text of a tree of parts: what `node.build()` writes, though long lines may be broken elsewhere. That one is made for
 * content that is read from somewhere, and its streams cost more CPU than all else in a short message.
 * @throws TypeError for content that is neither a string nor a buffer
 */
export function mimeText(node: MimeNode): Buffer {
  const pieces: Buffer[] = [];
  addPart(node, pieces);
  if (pieces.at(-1)?.at(-1) !== LF) pieces.push(Buffer.from('\r\n'));
  return Buffer.concat(pieces);
}

const LF = 0x0a;

function addPart(node: MimeNode, pieces: Buffer[]): void {
  // The headers decide on the boundary and the encoding.
  pieces.push(Buffer.from(`${node.buildHeaders()}\r\n\r\n`));
  if (node.content) pieces.push(encodedContent(node));
  if (!node.multipart) return;
  for (const [index, child] of node.childNodes.entries()) {
    pieces.push(Buffer.from(`${index > 0 ? '\r\n' : ''}--${node.boundary}\r\n`));
    addPart(child, pieces);
  }
  pieces.push(Buffer.from(`\r\n--${node.boundary}--\r\n`));
}

function encodedContent(node: MimeNode): Buffer {
  const { content } = node;
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) {
    throw new TypeError('mimeText writes strings and buffers only');
  }
  const encoding = node.getTransferEncoding();
  if (encoding === 'base64') return Buffer.from(wrapBase64(encodeBase64(content)));
  if (encoding === 'quoted-printable') return Buffer.from(wrapQuotedPrintable(encodeQuotedPrintable(content)));
  return Buffer.from(content);
}
