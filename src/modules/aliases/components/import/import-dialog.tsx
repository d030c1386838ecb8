'use client';

import { FileInput, Select, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { FieldPair } from '@/components/layout/form-layout';
import { formatPlural } from '@/lib/format';
import { ImportAliases, type ImportReport } from '../../schema';
import { ImportLines } from './import-lines';

const EXAMPLE = 'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true';

type ImportDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  defaultDomainId: string | undefined;
  onClose: () => void;
  onImported: (report: ImportReport) => void;
};

export function ImportDialog({ opened, domains, defaultDomainId = '', onClose, onImported }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const run = trpc.aliases.import.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: ImportAliases,
    initialValues: { domain_id: '', csv: '' },
    toInput: ({ domain_id, csv }) => ({ domain_id: domain_id || defaultDomainId, csv, dry_run: report === null }),
    submit: (input) => run.mutateAsync(input),
    onSaved: (answer) => {
      if (answer.dry_run) return setReport(answer);
      onClose();
      onImported(answer);
    },
  });

  /** The preview is of the previous domain and CSV. */
  const change = (name: 'domain_id' | 'csv', text: string) => {
    form.setFieldValue(name, text);
    setReport(null);
  };
  const read = async (chosen: File | null) => {
    setFile(chosen);
    change('csv', chosen ? await chosen.text() : '');
  };

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
      <FieldPair>
        <Select
          label="Domain"
          className="mono-input"
          placeholder="Choose"
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          searchable={domains.length > 8}
          allowDeselect={false}
          {...form.getInputProps('domain_id')}
          value={form.values.domain_id || defaultDomainId || null}
          onChange={(id) => change('domain_id', id ?? '')}
        />
        <FileInput
          label="CSV file"
          placeholder="Choose a file"
          accept=".csv,text/csv,text/plain"
          clearable
          clearButtonProps={{ 'aria-label': 'Remove file' }}
          leftSection={<IconUpload size={16} stroke={1.5} />}
          value={file}
          onChange={(chosen) => void read(chosen)}
        />
      </FieldPair>
      <Textarea
        label="Or paste CSV"
        className="mono-input"
        description="Include a header row. The active column is optional."
        placeholder={EXAMPLE}
        rows={4}
        spellCheck={false}
        {...form.getInputProps('csv')}
        onChange={(event) => change('csv', event.currentTarget.value)}
      />
      {report && <ImportLines report={report} />}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
