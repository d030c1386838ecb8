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
      run={({ domain_id, ...input }) => run.mutateAsync({ domain_id: domain_id ?? '', ...input })}
      description="Include a header row. The active column is optional."
      example={'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true'}
      header="Alias"
      nameOf={({ source_local_part: source, destination }) => (
        <>
          <b>{source || 'Catch-all'}</b> <span className="soft">→ {destination}</span>
        </>
      )}
    />
  );
}
