'use client';

import { type ReactNode, useState } from 'react';
import type { z } from 'zod';
import { formatPlural } from '@/lib/format';
import { ProblemAlert } from '../api/problem-alert';
import { Dialog } from '../dialogs/dialog';
import { useApiForm } from '../forms/use-api-form';
import type { DomainChoice } from '../pickers/domain-picker';
import { FailedLines } from './failed-lines';
import { ImportFields } from './import-fields';
import { ImportLines, type ImportReport, type Line } from './import-lines';

type ImportInput = { domain_id: string | null; csv: string; dry_run: boolean };

type ImportDialogProps<Report extends ImportReport<Line>> = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  /** The noun for the imported records, such as "alias" and "aliases". */
  noun: { one: string; many: string };
  schema: z.ZodType;
  run: (input: ImportInput) => Promise<Report>;
  /** The label of the choice of no domain, where that is possible. */
  allLabel?: string;
  description: string;
  example: string;
  /** The same for a file with addresses of several domains, which has none chosen. */
  exampleOfSeveral?: string;
  /** The column that names what a line imports. */
  header: string;
  nameOf: (line: Report['lines'][number]) => ReactNode;
  /** Further fields. A change of one ends the preview. */
  fields?: (onChanged: () => void) => ReactNode;
  /** Whether an import that runs can't be left, because its answer has what is shown only once. */
  isHeldOpen?: boolean;
  /** Called once it is done. If it returns or resolves with false, the dialog stays, which otherwise closes if no line has failed. */
  onImported: (report: Report) => unknown;
  onClose: () => void;
};

/** Imports a CSV file in two steps: a preview of its lines, and then the import, after which those that failed can be downloaded. */
export function ImportDialog<Report extends ImportReport<Line>>(props: ImportDialogProps<Report>) {
  const { opened, defaultDomain, noun, schema, run, allLabel, onImported, onClose, isHeldOpen = false } = props;
  const [chosen, setChosen] = useState<DomainChoice | null>();
  const domain = (chosen === undefined ? defaultDomain : chosen) ?? undefined;
  const [report, setReport] = useState<Report | null>(null);
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema,
    initialValues: { domain_id: '', csv: '' },
    toInput: ({ csv }): ImportInput => ({
      domain_id: domain?.id ?? (allLabel === undefined ? '' : null),
      csv,
      dry_run: report === null,
    }),
    // An instance of the version before, which takes only one domain, doesn't name it.
    submit: async (input) => {
      const answer = await run(input);
      const lines = answer.lines.map((line) => ({
        ...line,
        domain: line.domain === undefined ? domain?.name : line.domain,
      }));
      return { ...answer, lines };
    },
    onSaved: async (answer) => {
      setReport(answer);
      if (answer.dry_run) return;
      const isDone = await onImported(answer);
      if (answer.failed === 0 && isDone !== false) onClose();
    },
  });
  const lines = report && <ImportLines report={report} noun={noun} header={props.header} name={props.nameOf} />;

  if (report && !report.dry_run) {
    return (
      <FailedLines opened={opened} count={report.failed} onClose={onClose}>
        {lines}
      </FailedLines>
    );
  }
  return (
    <Dialog
      opened={opened}
      isInUrl
      title={`Import ${noun.many}`}
      action={report ? `Import ${formatPlural(report.created, noun.one, noun.many)}` : 'Preview import'}
      isBusy={isBusy}
      isDisabled={report?.created === 0}
      isHeld={isHeldOpen && isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <ImportFields
        domain={domain}
        allLabel={allLabel}
        csv={form.values.csv}
        errors={form.errors}
        description={props.description}
        example={domain ? props.example : (props.exampleOfSeveral ?? props.example)}
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
      {props.fields?.(() => setReport(null))}
      {lines}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
