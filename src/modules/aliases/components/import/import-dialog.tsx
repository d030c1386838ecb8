'use client';

import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { FailedLines } from '@/components/import/failed-lines';
import { ImportFields } from '@/components/import/import-fields';
import { ImportLines } from '@/components/import/import-lines';
import { formatPlural } from '@/lib/format';
import { ImportAliases, type ImportReport } from '../../schema';

const EXAMPLE = 'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true';

type ImportDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  defaultDomainId: string | undefined;
  onClose: () => void;
  onImported: (report: ImportReport) => void;
};

export function ImportDialog({ opened, domains, defaultDomainId = '', onClose, onImported }: ImportDialogProps) {
  const [report, setReport] = useState<ImportReport | null>(null);
  const run = trpc.aliases.import.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: ImportAliases,
    initialValues: { domain_id: '', csv: '' },
    toInput: ({ domain_id, csv }) => ({ domain_id: domain_id || defaultDomainId, csv, dry_run: report === null }),
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
        domains={domains}
        domainId={form.values.domain_id || defaultDomainId || null}
        csv={form.values.csv}
        errors={form.errors}
        description="Include a header row. The active column is optional."
        example={EXAMPLE}
        onChange={(name, text) => {
          form.setFieldValue(name, text);
          // The preview is of the previous domain and CSV.
          setReport(null);
        }}
      />
      {report && <Lines report={report} />}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

/** All lines of a preview, or those that failed in the import. */
function Lines({ report }: { report: ImportReport }) {
  const { dry_run, lines, created, unchanged, failed, failed_csv } = report;
  return (
    <ImportLines
      lines={dry_run ? lines : lines.filter(({ outcome }) => outcome === 'failed')}
      header="Alias"
      name={({ source_local_part: source, destination }) => (
        <>
          <b>{source || 'Catch-all'}</b> <span className="soft">→ {destination}</span>
        </>
      )}
      summary={
        dry_run
          ? `${formatPlural(created, 'new alias', 'new aliases')}, ${unchanged} unchanged, ${formatPlural(failed, 'error')}. Nothing has been imported yet.`
          : `Imported ${formatPlural(created, 'alias', 'aliases')}, ${unchanged} unchanged, ${formatPlural(failed, 'error')}.`
      }
      failedCsv={failed_csv}
    />
  );
}
