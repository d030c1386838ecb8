'use client';

import { Button, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { FormColumn } from '@/components/layout/form-layout';
import { Notice } from '@/components/layout/notice';
import { SettingsSection } from '@/components/settings-section';
import { MAX_SCRIPT_BYTES, scriptBytes } from '@/lib/sieve';
import type { SieveScope, SieveVerdict } from '../schema';
import { CheckResult } from './check-result';
import { EXAMPLES } from './examples';
import classes from './filter-form.module.css';
import { canLoseMail } from './filter-values';
import { FilterSkeleton, MailServerAlert, useMailServerState } from './mail-server-alert';
import { ScriptEditor, showLine } from './script-editor';

export type FilterValues = {
  scope: SieveScope;
  domainId: string;
  mailboxId: string;
  name: string;
  script: string;
  active: boolean;
};

export const FIELDS = { domain_id: 'domainId', mailbox_id: 'mailboxId', name: 'name', script: 'script' };

export const VALIDATORS = {
  name: (name: string) => (name.trim() === '' ? 'Enter a name.' : null),
  script: (script: string) => {
    if (script.trim() === '') return 'Enter a script, or start with an example.';
    return scriptBytes(script) > MAX_SCRIPT_BYTES ? `Enter at most ${MAX_SCRIPT_BYTES / 1024} KiB.` : null;
  },
};

type FilterFormProps = {
  form: UseFormReturnType<FilterValues>;
  /** The compiler's result of the last attempt to save. */
  saveVerdict: SieveVerdict | null;
  problem: Problem | null;
  scopeFields: ReactNode;
  hint: string;
  footer: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
};

export function FilterForm({ form, saveVerdict, problem, scopeFields, hint, footer, onSubmit }: FilterFormProps) {
  const textarea = useRef<HTMLTextAreaElement>(null);
  const mailServer = useMailServerState();
  const [checked, setChecked] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const check = trpc.sieveFilters.validate.useMutation({
    onSuccess: (verdict, { script }) => setChecked({ script, verdict }),
  });
  const { scope, script } = form.values;
  const verdict = checked?.script === script ? checked.verdict : saveVerdict;
  const errorLines = new Set(verdict?.errors.flatMap(({ line }) => line ?? []));
  const isExample = script === '' || EXAMPLES.some((example) => example.script === script);

  const runCheck = () => {
    const error = VALIDATORS.script(script);
    if (error) form.setFieldError('script', error);
    else check.mutate({ script });
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
            A Sieve script. A message that the script keeps goes to the next filter. Filing, forwarding, rejecting or
            discarding it stops processing, unless <code>:copy</code> is used.
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
          <ScriptEditor
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
              Check
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
