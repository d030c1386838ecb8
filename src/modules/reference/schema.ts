import { z } from 'zod';
import { plainText } from '@/lib/wire';

export const FindOperations = z.strictObject({ q: plainText(200) });

const NamedOperation = z.object({ method: z.string(), path: z.string(), summary: z.string(), href: z.string() });

export const NamedOperations = z.object({ items: z.array(NamedOperation) });
