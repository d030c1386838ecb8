import type { Part } from '@/mail/mime/parts';

/** The first part of that type. A message that is attached is not looked into: it may have come back itself. */
export function findPart(part: Part, type: RegExp, depth: number): Part | null {
  if (type.test(part.type)) return part;
  if (depth === 0) return null;
  for (const child of part.children) {
    const found = findPart(child, type, depth - 1);
    if (found) return found;
  }
  return null;
}
