import type { Email } from 'postal-mime';
import { expect } from 'vitest';
import { composeMessage } from '@/modules/sending/composing/compose';
import { OutgoingMessage } from '@/modules/sending/schema';

export const date = new Date('2026-03-01T12:34:56.000Z');
export const messageId = '<0195-test@example.com>';

export function compose(input: unknown) {
  return composeMessage(OutgoingMessage.parse(input), { messageId, date });
}

export function minimal(): OutgoingMessage {
  return { from: { email: 'ann@example.com' }, to: [{ email: 'bob@example.org' }], subject: 'Hello', text_body: 'Hi' };
}

export function expectValidOnTheWire(raw: Buffer) {
  const text = raw.toString('latin1');
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(Math.max(...text.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
  expect(text.slice(0, text.indexOf('\r\n\r\n'))).not.toMatch(/\r\n[ \t]*\r\n/);
}

export function header(email: Email, key: string): string | undefined {
  return email.headers.find((candidate) => candidate.key === key)?.value;
}
