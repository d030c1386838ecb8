'use client';

import { trpc } from '@/components/api/trpc';
import { ImportDialog as Import } from '@/components/import/import-dialog';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { ImportAliases, type ImportReport } from '../../schema';

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onImported: (report: ImportReport) => void;
};

export function ImportDialog(props: ImportDialogProps) {
  const run = trpc.aliases.import.useMutation();
  return (
    <Import
      {...props}
      noun={{ one: 'alias', many: 'aliases' }}
      schema={ImportAliases}
      run={(input) => run.mutateAsync(input)}
      allLabel="Domains in the file"
      description="Include a header row. The active column is optional. For several domains, enter whole addresses."
      example={'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true'}
      exampleOfSeveral={'address,destination,active\ninfo@example.com,"ann@example.com,bo@example.com",true'}
      header="Alias"
      nameOf={({ domain, source_local_part: source, destination }) => (
        <>
          <b>{source || (domain ? 'Catch-all' : '(no address)')}</b>
          {domain && (source ? `@${domain}` : ` of ${domain}, for every address that has no mailbox or alias`)}{' '}
          <span className="soft">→ {destination}</span>
        </>
      )}
    />
  );
}
