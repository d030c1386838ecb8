import { z } from 'zod';
import { plainText } from '@/lib/wire';

export const FindSections = z.strictObject({ q: plainText(200) });

/** A section of the documentation, or a whole chapter if `id` is empty. */
const Section = z.object({ chapter: z.string(), title: z.string(), heading: z.string(), id: z.string() });

export const Sections = z.object({ items: z.array(Section) });
