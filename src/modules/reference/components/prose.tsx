import { NearLink } from '@/components/near-link';
import type { Reference } from '../reference';

export type HrefOf = Reference['hrefOf'];

const SPECIAL = /(`[^`]+`|\b(?:GET|POST|PATCH|DELETE) \/[\w/{}-]*[\w}])/;

/** A description of the OpenAPI document: text with code, in which other operations become links. */
export function Prose({ text, hrefOf }: { text: string; hrefOf: HrefOf }) {
  return text.split(SPECIAL).map((part, index) => {
    const isCode = part.startsWith('`');
    const plain = isCode ? part.slice(1, -1) : part;
    const [method = '', path = ''] = plain.split(' ', 2);
    const href = SPECIAL.test(part) ? hrefOf(method, path) : undefined;
    const shown = isCode || href ? <code>{plain}</code> : plain;
    // Parts repeat, and those of a text never change.
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={index}>{href ? <NearLink href={href}>{shown}</NearLink> : shown}</span>
    );
  });
}
