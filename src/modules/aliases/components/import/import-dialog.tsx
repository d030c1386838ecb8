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
import { formatPlural } from '@/lib/format';
import { ImportAliases, type ImportReport } from '../../schema';

const EXAMPLE = 'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true';

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onImported: (report: ImportReport) => void;
};

export function ImportDialog({ opened, defaultDomain, onClose, onImported }: ImportDialogProps) {
  const [chosen, setChosen] = useState<DomainChoice>();
  const domain = chosen ?? defaultDomain;
  const [report, setReport] = useState<ImportReport | null>(null);
  const run = trpc.aliases.import.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: ImportAliases,
    initialValues: { domain_id: '', csv: '' },
    toInput: ({ csv }) => ({ domain_id: domain?.id ?? '', csv, dry_run: report === null }),
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
      title="Import aliases"
      action={report ? `Import ${formatPlural(report.created, 'alias', 'aliases')}` : 'Preview import'}
      isBusy={isBusy}
      isDisabled={report?.created === 0}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <ImportFields
        domain={domain}
        csv={form.values.csv}
        errors={form.errors}
        description="Include a header row. The active column is optional."
        example={EXAMPLE}
        // The preview is of the previous domain and CSV.
        onDomain={(next) => {
          setChosen(next ?? undefined);
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

function Lines({ report }: { report: ImportReport }) {
  return (
    <ImportLines
      report={report}
      noun={{ one: 'alias', many: 'aliases' }}
      header="Alias"
      name={({ source_local_part: source, destination }) => (
        <>
          <b>{source || 'Catch-all'}</b> <span className="soft">→ {destination}</span>
        </>
      )}
    />
  );
}
