'use client';

import { Button, Switch, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { MAX_SCRIPT_BYTES, scriptBytes } from '@/lib/sieve';
import type { SieveScope, SieveVerdict } from '../schema';
import { CheckResult } from './check-result';
import { EXAMPLES } from './examples';
import { mayLoseMail } from './filter-values';
import { NoMailServer, useMailServer, Waiting } from './no-mail-server';
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

export const FAULTS = {
  name: (name: string) => (name.trim() === '' ? 'Give it a name.' : null),
  script: (script: string) => {
    if (script.trim() === '') return 'Write a script, or start from an example.';
    return scriptBytes(script) > MAX_SCRIPT_BYTES ? `At most ${MAX_SCRIPT_BYTES / 1024} KiB.` : null;
  },
};

type FilterFormProps = {
  form: UseFormReturnType<FilterValues>;
  /** What the compiler said when it was to be saved. */
  refused: SieveVerdict | null;
  problem: Problem | null;
  place: ReactNode;
  placeHint: string;
  foot: ReactNode;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
};

export function FilterForm({ form, refused, problem, place, placeHint, foot, onSubmit }: FilterFormProps) {
  const textarea = useRef<HTMLTextAreaElement>(null);
  const mailServer = useMailServer();
  const [checked, setChecked] = useState<{ script: string; verdict: SieveVerdict } | null>(null);
  const check = trpc.sieveFilters.validate.useMutation({
    onSuccess: (verdict, { script }) => setChecked({ script, verdict }),
  });
  const { scope, script } = form.values;
  const verdict = checked?.script === script ? checked.verdict : refused;
  const faulty = new Set(verdict?.errors.flatMap(({ line }) => line ?? []));
  const isExample = script === '' || EXAMPLES.some((example) => example.script === script);

  const runCheck = () => {
    const fault = FAULTS.script(script);
    if (fault) form.setFieldError('script', fault);
    else check.mutate({ script });
  };
  const startFrom = (example: (typeof EXAMPLES)[number]) => {
    const isNamed = form.values.name !== '' && !EXAMPLES.some(({ name }) => name === form.values.name);
    form.setValues({ script: example.script, ...(!isNamed && { name: example.name }) });
  };

  if (mailServer === undefined) return <Waiting />;
  return (
    <form noValidate onSubmit={onSubmit}>
      {mailServer !== 'attached' && <NoMailServer state={mailServer} />}
      <SettingsSection title="Filter" hint={placeHint}>
        <div className="form-column">
          <TextInput label="Name" maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
          {place}
          <Switch label="On" {...form.getInputProps('active', { type: 'checkbox' })} />
        </div>
      </SettingsSection>
      <SettingsSection
        title="Script"
        hint={
          <>
            In Sieve. Keeping a message, or saying nothing of it, hands it on to the next filter. Filing, forwarding,
            rejecting or discarding it ends the matter; <code>:copy</code> does so without ending it.
          </>
        }
      >
        <div className="script-column">
          {isExample && (
            <div className="script-examples">
              <span className="soft">Start from</span>
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
            faulty={faulty}
            textarea={textarea}
            onChange={(next) => {
              form.setFieldValue('script', next);
              check.reset();
            }}
          />
          <div className="script-footer">
            <Button onClick={runCheck} loading={check.isPending} disabled={mailServer !== 'attached'}>
              Check
            </Button>
            <CheckResult verdict={verdict} onShow={(line) => showLine(textarea.current, line)} />
          </div>
          <ProblemAlert problem={check.error ? toProblem(check.error) : null} />
          {scope === 'global' && mayLoseMail(script) && <LosesMail />}
          <ProblemAlert problem={problem} />
          {foot}
        </div>
      </SettingsSection>
    </form>
  );
}

function LosesMail() {
  return (
    <div className="alert" data-tone="deferred">
      <StatusMark status="warning">It may refuse mail of every mailbox here, or throw it away</StatusMark>
      <p>
        A filter for all mail that rejects or discards does so for everybody, and what is discarded cannot be brought
        back. Try it with <code>fileinto</code> first, or for one mailbox.
      </p>
    </div>
  );
}
