'use client';

import { FileInput, Select, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { FieldPair } from '@/components/layout/form-layout';
import { formatPlural } from '@/lib/format';
import type { ImportReport } from '../../schema';
import { ImportLines } from './import-lines';

const MAX_CHARACTERS = 1_000_000;
const EXAMPLE = 'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true';

type ImportDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  defaultDomainId: string | undefined;
  onClose: () => void;
  onImported: (report: ImportReport) => void;
};

type Errors = { domain?: string; csv?: string };

export function ImportDialog({ opened, domains, defaultDomainId, onClose, onImported }: ImportDialogProps) {
  const [domainId, setDomainId] = useState<string | null>(null);
  const [csv, setCsv] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [errors, setErrors] = useState<Errors>({});

  useEffect(() => {
    if (opened) setDomainId(defaultDomainId ?? null);
  }, [opened, defaultDomainId]);

  /** Replaces the CSV text and clears the preview of the previous one. */
  const reset = (text = '') => {
    setCsv(text);
    setReport(null);
    setProblem(null);
    setErrors({});
  };
  const close = () => {
    reset();
    setFile(null);
    onClose();
  };
  const run = trpc.aliases.import.useMutation({
    onSuccess: (answer) => {
      if (answer.dry_run) return setReport(answer);
      close();
      onImported(answer);
    },
    onError: (error) => {
      const failure = toProblem(error);
      if (failure.code === 'DOMAIN_INACTIVE' || failure.code === 'DOMAIN_NOT_FOUND')
        setErrors({ domain: failure.message });
      else setProblem(applyFieldErrors(failure, { setErrors }, { csv: 'csv', domain_id: 'domain' }));
    },
  });
  const read = async (chosen: File | null) => {
    setFile(chosen);
    reset(chosen ? await chosen.text() : '');
  };
  const submit = () => {
    const invalid: Errors = {};
    if (!domainId) invalid.domain = 'Choose a domain.';
    if (csv.trim() === '') invalid.csv = 'Choose a file or paste CSV.';
    if (csv.length > MAX_CHARACTERS)
      invalid.csv = 'CSV can be at most 1,000,000 characters. Split the file and import the parts.';
    setErrors(invalid);
    setProblem(null);
    if (domainId && Object.keys(invalid).length === 0)
      run.mutate({ domain_id: domainId, csv, dry_run: report === null });
  };

  return (
    <Dialog
      opened={opened}
      title="Import aliases"
      action={report ? `Import ${formatPlural(report.created, 'alias', 'aliases')}` : 'Preview import'}
      isBusy={run.isPending}
      isDisabled={report?.created === 0}
      onClose={close}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FieldPair>
        <Select
          label="Domain"
          className="mono-input"
          placeholder="Choose"
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          searchable={domains.length > 8}
          allowDeselect={false}
          value={domainId}
          error={errors.domain}
          onChange={(value) => {
            setDomainId(value);
            reset(csv);
          }}
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
        value={csv}
        error={errors.csv}
        onChange={(event) => reset(event.currentTarget.value)}
      />
      {report && <ImportLines report={report} />}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
