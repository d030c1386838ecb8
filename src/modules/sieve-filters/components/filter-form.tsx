'use client';

import { Button, Switch, TextInput } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { CodeEditor, showLine } from '@/components/forms/code-editor';
import type { ApiForm } from '@/components/forms/use-api-form';
import { FormColumn } from '@/components/layout/form-layout';
import { Notice } from '@/components/layout/notice';
import { SettingsSection } from '@/components/settings-section';
import type { SieveScope, SieveVerdict } from '../schema';
import classes from './filter-form.module.css';
import { canLoseMail } from './filter-values';
import { FilterSkeleton, MailServerAlert, useMailServerState } from './mail-server-alert';
import { CheckResult } from './script/check-result';
import { EXAMPLES } from './script/examples';

type FilterValues = { name: string; script: string; active: boolean };

type FilterFormProps = {
  filter: ApiForm<FilterValues>;
  scope: SieveScope;
  scopeFields: ReactNode;
  hint: ReactNode;
  footer: ReactNode;
};

export function FilterForm({ filter, scope, scopeFields, hint, footer }: FilterFormProps) {
  const { form, problem, failure, onSubmit } = filter;
  const textarea = useRef<HTMLTextAreaElement>(null);
  const mailServer = useMailServerState();
  const [checked, setChecked] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const check = trpc.sieveFilters.validate.useMutation({
    onSuccess: (verdict, { script }) => setChecked({ script, verdict }),
  });
  const { script } = form.values;
  // The compiler's result of the last attempt to save, until the script is edited.
  const saveVerdict = form.errors.script && failure ? verdictOf(failure) : null;
  const verdict = checked?.script === script ? checked.verdict : saveVerdict;
  const errorLines = new Set(verdict?.errors.flatMap(({ line }) => line ?? []));
  const isExample = script === '' || EXAMPLES.some((example) => example.script === script);

  const runCheck = () => {
    const error = form.validateField('script');
    if (!error.hasError) check.mutate({ script });
  };
  const startFrom = (example: (typeof EXAMPLES)[number]) => {
    const isNamed = form.values.name !== '' && !EXAMPLES.some(({ name }) => name === form.values.name);
    form.setValues({ script: example.script, ...(!isNamed && { name: example.name }) });
  };

  if (mailServer === undefined) return <FilterSkeleton />;
  return (
    <form noValidate onSubmit={onSubmit}>
      {mailServer !== 'attached' && <MailServerAlert state={mailServer} />}
      <SettingsSection title="Filter" hint={hint}>
        <FormColumn>
          <TextInput label="Name" maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
          {scopeFields}
          <Switch label="Active" {...form.getInputProps('active', { type: 'checkbox' })} />
        </FormColumn>
      </SettingsSection>
      <SettingsSection
        title="Script"
        hint={
          <>
            A message that the script keeps goes to the next filter. Filing, forwarding, rejecting or discarding it
            stops processing, unless <code>:copy</code> is used.
          </>
        }
      >
        <div className={classes.column}>
          {isExample && (
            <div className={classes.examples}>
              <span className="soft">Start with</span>
              {EXAMPLES.map((example) => (
                <Button key={example.label} size="xs" onClick={() => startFrom(example)}>
                  {example.label}
                </Button>
              ))}
            </div>
          )}
          <CodeEditor
            label="Script"
            value={script}
            error={verdict === null || verdict.valid ? form.errors.script : undefined}
            errorLines={errorLines}
            textarea={textarea}
            onChange={(next) => {
              form.setFieldValue('script', next);
              check.reset();
            }}
          />
          <div className={classes.footer}>
            <Button onClick={runCheck} loading={check.isPending} disabled={mailServer !== 'attached'}>
              Check script
            </Button>
            <CheckResult verdict={verdict} onShow={(line) => showLine(textarea.current, line)} />
          </div>
          <ProblemAlert problem={check.error ? toProblem(check.error) : null} />
          {scope === 'global' && canLoseMail(script) && <MailLossWarning />}
          <ProblemAlert problem={problem} />
          {footer}
        </div>
      </SettingsSection>
    </form>
  );
}

function MailLossWarning() {
  return (
    <Notice status="warning" title="This filter can reject or discard mail of every mailbox">
      <p>
        Discarded mail can’t be recovered. Test the filter with <code>fileinto</code> first, or on a single mailbox.
      </p>
    </Notice>
  );
}

/** The compiler errors in the response to a rejected save, or null for other errors. */
function verdictOf({ code, details }: Problem): SieveVerdict | null {
  if (code !== 'VALIDATION_ERROR' || !Array.isArray(details.errors)) return null;
  return { valid: false, errors: details.errors as SieveVerdict['errors'] };
}
