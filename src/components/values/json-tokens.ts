export type JsonToken = { kind: 'key' | 'string' | 'number' | 'literal' | 'plain'; text: string };

/** Longer texts would take the browser too many elements. */
const MAX_LENGTH = 100_000;
const INDENT = '  ';

/**
 * A JSON text over several lines, as tokens. Every value stays as it is written: parsing would round numbers. Null for
 * anything but an object or array, such as the first part of a long text.
 */
export function jsonTokens(text: string): JsonToken[] | null {
  if (text.length > MAX_LENGTH || !isObjectOrArray(text)) return null;
  const raw = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  const tokens: JsonToken[] = [];
  let depth = 0;
  const plain = (added: string) => {
    const last = tokens.at(-1);
    if (last?.kind === 'plain') last.text += added;
    else tokens.push({ kind: 'plain', text: added });
  };
  const newLine = () => plain(`\n${INDENT.repeat(depth)}`);
  raw.forEach((one, index) => {
    const next = raw[index + 1];
    if (one === '{' || one === '[') {
      plain(one);
      depth += 1;
      if (next !== '}' && next !== ']') newLine();
    } else if (one === '}' || one === ']') {
      const before = raw[index - 1];
      depth -= 1;
      if (before !== '{' && before !== '[') newLine();
      plain(one);
    } else if (one === ',') {
      plain(one);
      newLine();
    } else if (one === ':') plain(': ');
    else tokens.push({ kind: kindOf(one, next), text: one });
  });
  return tokens;
}

function isObjectOrArray(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function kindOf(token: string, next: string | undefined): JsonToken['kind'] {
  if (token.startsWith('"')) return next === ':' ? 'key' : 'string';
  return /^[-\d]/.test(token) ? 'number' : 'literal';
}
