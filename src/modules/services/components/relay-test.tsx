'use client';

import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { FieldPair, FormColumn } from '@/components/layout/form-layout';
import { StatusMark } from '@/components/marks/status-mark';
import { RawText } from '@/components/text/raw-text';
import { type RelayTest as Result, TestRelay } from '../schema';
import classes from './operation-panel.module.css';

const PREFIXES: Record<Result['lines'][number]['kind'], string> = { note: '', sent: '> ', received: '< ' };

/** Has the mail server talk with its relay, and shows the conversation. */
export function RelayTest() {
  const test = trpc.services.testRelay.useMutation();
  const [result, setResult] = useState<Result | null>(null);
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: TestRelay,
    initialValues: { from: '', to: '' },
    toInput: (values) => {
      const { from, to } = trimmed(values, ['from', 'to']);
      return { ...(from && { from }), ...(to && { to }) };
    },
    submit: (input) => {
      setResult(null);
      return test.mutateAsync(input);
    },
    onSaved: setResult,
  });

  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack pt="md">
        <FormColumn>
          <FieldPair isStacked>
            <TextInput label="From" description="Optional sender to try" {...form.getInputProps('from')} />
            <TextInput label="To" description="Optional recipient to try" {...form.getInputProps('to')} />
          </FieldPair>
        </FormColumn>
        <ProblemAlert problem={problem} />
        <div>
          <Button type="submit" loading={isBusy}>
            Test relay
          </Button>
        </div>
        <p className="soft">The mail server connects and signs in as Postfix does. No mail is sent.</p>
        {result && <Transcript result={result} />}
      </Stack>
    </form>
  );
}

function Transcript({ result: { outcome, message, lines } }: { result: Result }) {
  const isAccepted = outcome === 'accepted';
  return (
    <div className={classes.panel}>
      <p role="status">
        <StatusMark status={isAccepted ? 'delivered' : 'failed'}>{isAccepted ? 'Accepted' : 'Failed'}</StatusMark>{' '}
        {message}
      </p>
      <RawText
        tabIndex={0}
        role="log"
        aria-label="Conversation with the relay"
        aria-live="off"
        className={classes.output}
      >
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines never move.
          <span key={index} data-kind={kind}>
            {PREFIXES[kind]}
            {text}
            {'\n'}
          </span>
        ))}
      </RawText>
    </div>
  );
}
