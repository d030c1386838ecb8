'use client';

import { FileInput, Select, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { formatPlural } from '@/lib/format';
import type { ImportReport } from '../../schema';
import { ImportLines } from './import-lines';

const MOST_CHARACTERS = 1_000_000;
const EXAMPLE = 'source_local_part,destination,active\ninfo,"ann@example.com,bo@example.com",true';

type ImportDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  preset: string | undefined;
  onClose: () => void;
  onImported: (report: ImportReport) => void;
};

type Errors = { domain?: string; csv?: string };

export function ImportDialog({ opened, domains, preset, onClose, onImported }: ImportDialogProps) {
  const [domainId, setDomainId] = useState<string | null>(null);
  const [csv, setCsv] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [report, setReport] = useState<ImportReport | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [errors, setErrors] = useState<Errors>({});

  useEffect(() => {
    if (opened) setDomainId(preset ?? null);
  }, [opened, preset]);

  /** What was said of the lines before holds no longer. */
  const begin = (text = '') => {
    setCsv(text);
    setReport(null);
    setProblem(null);
    setErrors({});
  };
  const close = () => {
    begin();
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
      const found = toProblem(error);
      if (found.code === 'DOMAIN_INACTIVE' || found.code === 'DOMAIN_NOT_FOUND') setErrors({ domain: found.message });
      else setProblem(applyFieldErrors(found, { setErrors }, { csv: 'csv', domain_id: 'domain' }));
    },
  });
  const read = async (picked: File | null) => {
    setFile(picked);
    begin(picked ? await picked.text() : '');
  };
  const submit = () => {
    const faults: Errors = {};
    if (!domainId) faults.domain = 'Choose a domain.';
    if (csv.trim() === '') faults.csv = 'Choose a file, or paste its lines here.';
    if (csv.length > MOST_CHARACTERS) faults.csv = 'At most a million characters at a time. Import it in parts.';
    setErrors(faults);
    setProblem(null);
    if (domainId && Object.keys(faults).length === 0)
      run.mutate({ domain_id: domainId, csv, dry_run: report === null });
  };

  return (
    <Dialog
      opened={opened}
      title="Import aliases"
      action={report ? `Add ${formatPlural(report.created, 'alias', 'aliases')}` : 'Check the lines'}
      isBusy={run.isPending}
      isDisabled={report?.created === 0}
      onClose={close}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="pair">
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
            begin(csv);
          }}
        />
        <FileInput
          label="CSV file"
          placeholder="Choose a file"
          accept=".csv,text/csv,text/plain"
          clearable
          clearButtonProps={{ 'aria-label': 'Remove the file' }}
          leftSection={<IconUpload size={16} stroke={1.5} />}
          value={file}
          onChange={(picked) => void read(picked)}
        />
      </div>
      <Textarea
        label="Or paste its lines"
        className="mono-input"
        description="A header line first. The column active may be left out."
        placeholder={EXAMPLE}
        rows={4}
        spellCheck={false}
        value={csv}
        error={errors.csv}
        onChange={(event) => begin(event.currentTarget.value)}
      />
      {report && <ImportLines report={report} />}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
