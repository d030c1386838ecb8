'use client';

import { trpc } from '@/components/api/trpc';
import { ImportDialog as Import } from '@/components/import/import-dialog';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { useHasRole } from '@/components/shell/use-has-role';
import { ImportSuppressions, type SuppressionImportReport } from '../schema';

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onImported: (report: SuppressionImportReport) => void;
};

export function ImportDialog(props: ImportDialogProps) {
  const canSuppressAll = useHasRole('admin');
  const run = trpc.suppressions.import.useMutation();
  return (
    <Import
      {...props}
      noun={{ one: 'suppression', many: 'suppressions' }}
      schema={ImportSuppressions}
      run={(input) => run.mutateAsync(input)}
      allLabel={canSuppressAll ? 'All domains' : undefined}
      description="Include a header row. The columns reason, list, detail and expires_at are optional."
      example={'email,reason,detail\nann@example.com,unsubscribe,Asked by phone'}
      header="Address"
      nameOf={({ email }) => email}
    />
  );
}
