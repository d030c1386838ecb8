import { z } from 'zod';

// Empty strings pass here, because `min(1)` reports them as missing (docs/api-contract.md, Errors).
export const isEmptyOr = (accepts: (text: string) => boolean) => (text: string) => text === '' || accepts(text);

/** Checks the length before any item, which bounds the number of issues per request. */
export function boundedArray<Item extends z.ZodType>(item: Item, maxItems: number) {
  return z
    .preprocess((raw, ctx) => {
      if (Array.isArray(raw) && raw.length > maxItems) {
        ctx.addIssue({ code: 'custom', message: `Enter at most ${maxItems} items.` });
      }
      return raw;
    }, z.array(item))
    .meta({ maxItems });
}
