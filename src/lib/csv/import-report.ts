import { z } from 'zod';

/** The description of the domain of an import. */
export const IMPORT_DOMAIN =
  'The domain of all lines. Null: each line names a whole address, and is imported into its domain';

export const DryRun = z.boolean().default(false).meta({ description: 'Returns the report without changing anything' });

export const ImportedLineNumber = z
  .number()
  .int()
  .meta({ description: 'Line number in the file. The header is line 1' });

export const ImportedDomain = z
  .string()
  .nullable()
  .meta({ description: 'The name of the domain. Null for a line whose domain you can’t use or that names none' });

/** Fields that say whether a line was imported, and why not. */
export const importOutcome = {
  outcome: z.enum(['created', 'unchanged', 'failed']),
  code: z.string().nullable(),
  message: z.string().nullable(),
};

export type ReportedLine = { line: number } & z.infer<z.ZodObject<typeof importOutcome>>;

export function importReport<Line extends z.ZodType<ReportedLine>>(line: Line) {
  return z.object({
    dry_run: z.boolean(),
    total: z.number().int(),
    created: z.number().int(),
    unchanged: z.number().int(),
    failed: z.number().int(),
    lines: z.array(line),
    failed_csv: z.string().nullable().meta({
      description:
        'The failed lines as CSV, with a last column error that says why. Correct them and import the text again. Null if none failed',
    }),
  });
}
