'use client';

import { Select } from '@mantine/core';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { ImportDialog as Import } from '@/components/import/import-dialog';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { useHasRole } from '@/components/shell/use-has-role';
import { SUPPRESSION_LABELS, SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { ImportSuppressions, type SuppressionImportReport } from '../schema';

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onImported: (report: SuppressionImportReport) => void;
};

const REASONS = SUPPRESSION_REASONS.map((value) => ({ value, label: SUPPRESSION_LABELS[value] }));

export function ImportDialog(props: ImportDialogProps) {
  const canSuppressAll = useHasRole('admin');
  const run = trpc.suppressions.import.useMutation();
  const [reason, setReason] = useState<ImportSuppressions['reason'] | null>(null);
  return (
    <Import
      {...props}
      noun={{ one: 'suppression', many: 'suppressions' }}
      schema={ImportSuppressions}
      run={(input) => run.mutateAsync({ ...input, ...(reason && { reason }) })}
      allLabel={canSuppressAll ? 'All domains' : undefined}
      description="Include a header row. The columns reason, list, detail and expires_at are optional."
      example={'email,reason,detail\nann@example.com,unsubscribe,Asked by phone'}
      header="Address"
      nameOf={({ email }) => email}
      fields={(onChanged) => (
        <Select
          label="Reason of addresses without one"
          description="A file of another service often has only those that bounced, complained or unsubscribed."
          placeholder={SUPPRESSION_LABELS.manual}
          clearable
          data={REASONS}
          value={reason}
          onChange={(chosen) => {
            setReason(chosen as typeof reason);
            onChanged();
          }}
        />
      )}
    />
  );
}
