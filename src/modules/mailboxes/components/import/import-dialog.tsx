'use client';

import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { FailedLines } from '@/components/import/failed-lines';
import { ImportFields } from '@/components/import/import-fields';
import { ImportLines } from '@/components/import/import-lines';
import { notify } from '@/components/notifications';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { formatPlural } from '@/lib/format';
import { ImportMailboxes, type MailboxImportReport } from '../../import/schema';
import { ImportedPasswords, type NewPassword } from './imported-passwords';

const EXAMPLE = 'local_part,display_name,password,quota_mb,active\nann,Ann Field,,2048,true';
const nameOf = (count: number) => formatPlural(count, 'mailbox', 'mailboxes');

type ImportDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
};

export function ImportDialog({ opened, defaultDomain, onClose }: ImportDialogProps) {
  const utils = trpc.useUtils();
  const [chosen, setChosen] = useState<DomainChoice>();
  const domain = chosen ?? defaultDomain;
  const [report, setReport] = useState<MailboxImportReport | null>(null);
  const [passwords, setPasswords] = useState<NewPassword[]>([]);
  const run = trpc.mailboxes.import.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: ImportMailboxes,
    initialValues: { domain_id: '', csv: '' },
    toInput: ({ csv }) => ({ domain_id: domain?.id ?? '', csv, dry_run: report === null }),
    submit: (input) => run.mutateAsync(input),
    onSaved: async (answer) => {
      setReport(answer);
      if (answer.dry_run) return;
      const generated = answer.lines.flatMap(({ local_part, password }) =>
        password === null ? [] : [{ email: `${local_part}@${domain?.name}`, password }],
      );
      await Promise.all([utils.mailboxes.list.invalidate(), utils.domains.invalidate()]);
      const failed = answer.failed > 0 ? `; ${formatPlural(answer.failed, 'line')} failed` : '';
      notify({ text: `Imported ${nameOf(answer.created)}${failed}` });
      setPasswords(generated);
      if (generated.length === 0 && answer.failed === 0) onClose();
    },
  });

  const done = () => (report?.failed === 0 ? onClose() : setPasswords([]));
  if (passwords.length > 0) return <ImportedPasswords opened={opened} passwords={passwords} onDone={done} />;
  if (report && !report.dry_run)
    return (
      <FailedLines opened={opened} count={report.failed} onClose={onClose}>
        <Lines report={report} />
      </FailedLines>
    );
  return (
    <Dialog
      opened={opened}
      title="Import mailboxes"
      action={report ? `Import ${nameOf(report.created)}` : 'Preview import'}
      isBusy={isBusy}
      isDisabled={report?.created === 0}
      // The answer may have passwords that are shown only once.
      onClose={() => !isBusy && onClose()}
      onSubmit={onSubmit}
    >
      <ImportFields
        domain={domain}
        csv={form.values.csv}
        errors={form.errors}
        description="Include a header row. Only local_part is required. Without a password, one is generated."
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

function Lines({ report }: { report: MailboxImportReport }) {
  return (
    <ImportLines
      report={report}
      noun={{ one: 'mailbox', many: 'mailboxes' }}
      header="Mailbox"
      name={({ local_part, display_name }) => (
        <>
          <b>{local_part || '(no address)'}</b> <span className="soft">{display_name}</span>
        </>
      )}
    />
  );
}
