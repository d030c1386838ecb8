import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cpuMsOf } from '@/test/main-thread';
import { unknownRecipient } from './unknown-recipient';

const VERDICTS: Record<string, string | null> = { yes: 'certain', 'if repeated': 'repeated', no: null };
const ROW = /^\| ([^|]+) \| `([^`]+)` \| (yes|no|if repeated) \|$/gm;

const rows = [...readFileSync('docs/suppressions.md', 'utf8').matchAll(ROW)].map(
  ([, server = '', reply = '', verdict = '']) => ({ server, reply, verdict }),
);

/** The codes that Postfix logs for a reply: one without an enhanced code has that of its class. */
function bounceOf(response: string) {
  const [, code, enhanced] = /^([245]\d\d)[ -](?:([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? [];
  if (code) return { smtpCode: Number(code), enhancedCode: enhanced ?? `${code[0]}.0.0`, response };
  return { smtpCode: null, enhancedCode: response.startsWith('Domain') ? '5.1.0' : '5.4.4', response };
}

it('the documented table has all its rows', () => {
  const documented = readFileSync('docs/suppressions.md', 'utf8').match(/^\| .* \| `(?:\d{3}|Host|Domain).*$/gm);
  expect(rows).toHaveLength(documented?.length ?? 0);
  expect(rows.length).toBeGreaterThan(40);
});

it.each(rows)('$server: $reply', ({ reply, verdict }) => {
  expect(unknownRecipient('ann@example.com', bounceOf(reply))).toBe(VERDICTS[verdict]);
});

it('a bounce of an address with a tag says nothing of the address without it', () => {
  const bounce = bounceOf('550 5.1.1 No such user');
  expect(unknownRecipient('Ann+news@example.com', bounce)).toBeNull();
  expect(unknownRecipient('Ann@example.com', bounce)).toBe('certain');
});

it('a long reply is judged in no time', async () => {
  const response = `550 invalid mailbox. Local mailbox ${'a@ '.repeat(20_000)}delivery error: dd ${"doesn't have a ".repeat(20_000)}`;
  expect(await cpuMsOf(() => unknownRecipient('ann@example.com', bounceOf(response)))).toBeLessThan(200);
});
