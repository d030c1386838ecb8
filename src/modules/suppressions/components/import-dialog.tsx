'use client';

import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { FailedLines } from '@/components/import/failed-lines';
import { ImportFields } from '@/components/import/import-fields';
import { ImportLines } from '@/components/import/import-lines';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { useHasRole } from '@/components/shell/use-has-role';
import { formatPlural } from '@/lib/format';
import { ImportSuppressions, type SuppressionImportReport } from '../schema';

const EXAMPLE = 'email,reason,detail\nann@example.com,unsubscribe,Asked by phone';

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onImported: (report: SuppressionImportReport) => void;
};

export function ImportDialog({ opened, defaultDomain, onClose, onImported }: ImportDialogProps) {
  const canSuppressAll = useHasRole('admin');
  const [chosen, setChosen] = useState<DomainChoice | null>();
  const domain = chosen === undefined ? defaultDomain : (chosen ?? undefined);
  const [report, setReport] = useState<SuppressionImportReport | null>(null);
  const run = trpc.suppressions.import.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: ImportSuppressions,
    initialValues: { domain_id: null as string | null, csv: '' },
    toInput: ({ csv }) => ({ domain_id: domain?.id ?? null, csv, dry_run: report === null }),
    submit: (input) => run.mutateAsync(input),
    onSaved: (answer) => {
      setReport(answer);
      if (answer.dry_run) return;
      onImported(answer);
      if (answer.failed === 0) onClose();
    },
  });

  if (report && !report.dry_run)
    return (
      <FailedLines opened={opened} count={report.failed} onClose={onClose}>
        <Lines report={report} />
      </FailedLines>
    );
  return (
    <Dialog
      opened={opened}
      title="Import suppressions"
      action={report ? `Import ${formatPlural(report.created, 'suppression')}` : 'Preview import'}
      isBusy={isBusy}
      isDisabled={report?.created === 0}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <ImportFields
        domain={domain}
        allLabel={canSuppressAll ? 'All domains' : undefined}
        csv={form.values.csv}
        errors={form.errors}
        description="Include a header row. The columns reason, detail and expires_at are optional."
        example={EXAMPLE}
        // The preview is of the previous domain and CSV.
        onDomain={(next) => {
          setChosen(next);
          form.clearFieldError('domain_id');
          setReport(null);
        }}
        onCsv={(text) => {
          form.setFieldValue('csv', text);
          setReport(null);
        }}
      />
      {report && <Lines report={report} />}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

function Lines({ report }: { report: SuppressionImportReport }) {
  return (
    <ImportLines
      report={report}
      noun={{ one: 'suppression', many: 'suppressions' }}
      header="Address"
      name={({ email }) => email}
    />
  );
}
