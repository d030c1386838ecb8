import { z } from 'zod';

/** A list in one text, without the spaces around its items. */
export function commaSeparated(fallback = '') {
  return z
    .string()
    .default(fallback)
    .transform((list) =>
      list
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    );
}
