/**
 * Whether text is padded base64 (RFC 4648, section 4), with or without the line breaks and spaces of mail and of command line
 * tools, which decoders skip. Scans a few times at most, since content can be 100 MB.
 */
export function isBase64(text: string): boolean {
  const plain = /[\t\n\r ]/.test(text) ? text.replace(/[\t\n\r ]+/g, '') : text;
  if (plain.length % 4 !== 0) return false;
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0;
  return plain.slice(0, plain.length - padding).search(/[^A-Za-z0-9+/]/) < 0;
}
