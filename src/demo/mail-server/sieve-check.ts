import type { SieveError } from '@/mail/agent/requests';

const OPENING: Record<string, string> = { '}': '{', ']': '[', ')': '(' };

/** Not a compiler: it finds unmatched brackets and quotes, enough to try out an error in the demo. */
export function checkSieve(script: string): SieveError[] {
  const open: { mark: string; line: number }[] = [];
  for (const [index, text] of script.split('\n').entries()) {
    const line = index + 1;
    const code = text.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/#.*/, '');
    if (code.includes('"')) return [{ line, message: 'error: unterminated string' }];
    for (const mark of code.replace(/[^{}[\]()]/g, '')) {
      if (!OPENING[mark]) open.push({ mark, line });
      else if (open.pop()?.mark !== OPENING[mark]) return [{ line, message: `error: unexpected '${mark}'` }];
    }
  }
  const [unclosed] = open;
  return unclosed ? [{ line: unclosed.line, message: `error: '${unclosed.mark}' is never closed` }] : [];
}
