import { checkOutgoingMessage } from '@/modules/sending/composing/check-outgoing-message';

export const valid = {
  from: { email: 'ann@example.com', name: 'Ann' },
  to: [{ email: 'bob@example.org' }],
  subject: 'Hello',
  text_body: 'Hi',
};

export const attachment = { filename: 'a.txt', content_type: 'text/plain', content: 'aGk=' };

export function many(count: number) {
  return Array.from({ length: count }, (_, index) => ({ email: `r${index}@example.org` }));
}

export function codeOf(raw: unknown): string {
  const result = checkOutgoingMessage(raw);
  return 'code' in result ? result.code : 'ok';
}

export function checked(raw: unknown): { code: string; paths: string[] } {
  const result = checkOutgoingMessage(raw);
  return 'code' in result
    ? { code: result.code, paths: result.fields.map((field) => field.path) }
    : { code: 'ok', paths: [] };
}
