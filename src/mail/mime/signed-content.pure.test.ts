import { expect, it } from 'vitest';
import { signedContent } from './signed-content';

/** Signed content in these pieces, of elements that end where their children do. */
function signedIn(pieces: Buffer): Buffer {
  const [start, end] = ['3080 0600 a080 3080 0200 3100 3080 0600 a080 2480', '0000'.repeat(6)];
  const bytesOf = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
  return Buffer.concat([bytesOf(start), pieces, bytesOf(end)]);
}

it('joins the pieces of signed content', () => {
  const pieces = signedIn(Buffer.from('\x04\x03one\x04\x00\x24\x07\x04\x05, two'));
  expect(signedContent(pieces)?.toString()).toBe('one, two');
});

it('reads no content in more pieces than mail programs make, which would take the memory of many messages', () => {
  expect(signedContent(signedIn(Buffer.alloc(2 * 100_000, '\x04\x00')))).toHaveLength(0);
  expect(signedContent(signedIn(Buffer.alloc(2 * 100_001, '\x04\x00')))).toBeNull();
});
