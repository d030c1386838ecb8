import { z } from 'zod';
import { csvText } from '@/lib/csv/csv-text';
import {
  DryRun,
  IMPORT_DOMAIN,
  ImportedDomain,
  ImportedLineNumber,
  importOutcome,
  importReport,
} from '@/lib/csv/import-report';
import { chosenId } from '@/lib/wire';

const MAX_CSV_LENGTH = 200_000;

/** Each row takes a password hash, which is slow on purpose. */
export const MAX_IMPORTED_MAILBOXES = 500;

export const ImportMailboxes = z.strictObject({
  domain_id: chosenId('Choose a domain.').nullable().meta({ description: IMPORT_DOMAIN }),
  csv: csvText(MAX_CSV_LENGTH).meta({
    description:
      'A header row with local_part or email and optionally display_name, password, quota_mb or quota_bytes, and active, then ' +
      `one mailbox per line. At most ${MAX_IMPORTED_MAILBOXES}. Without a password, one is generated; without a quota, it is the ` +
      'domain’s default, and unlimited is a quota without limit. A column error and the other columns of the export are ignored',
    examples: ['local_part,display_name\nann,Ann Example\n'],
  }),
  dry_run: DryRun,
});
export type ImportMailboxes = z.infer<typeof ImportMailboxes>;

export const MailboxImportLine = z.object({
  line: ImportedLineNumber,
  domain: ImportedDomain,
  local_part: z.string(),
  display_name: z.string(),
  ...importOutcome,
  password: z.string().nullable().meta({
    description: 'The generated password of a mailbox that was created, returned only in this response',
  }),
});
export type MailboxImportLine = z.infer<typeof MailboxImportLine>;

export const MailboxImportReport = importReport(MailboxImportLine).meta({ id: 'MailboxImportReport' });
export type MailboxImportReport = z.infer<typeof MailboxImportReport>;
