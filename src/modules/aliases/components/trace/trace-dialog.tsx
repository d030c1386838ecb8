'use client';

import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { DialogFields, DialogFrame } from '@/components/dialogs/dialog';
import { Timeline } from '@/components/marks/timeline';
import { NearLink } from '@/components/near-link';
import { TextButton } from '@/components/text/text-button';
import { addressError, parseAddress } from '@/lib/mail/address';
import type { Resolution } from '../../schema';
import classes from './trace-dialog.module.css';
import { traceHops } from './trace-hops';

type TraceDialogProps = {
  /** The traced address. Empty: none yet; null: the dialog is closed. */
  address: string | null;
  onTrace: (address: string) => void;
  onOpen: (aliasId: string) => void;
  onClose: () => void;
};

export function TraceDialog({ address, onTrace, onOpen, onClose }: TraceDialogProps) {
  return (
    <DialogFrame opened={address !== null} isInUrl onClose={onClose} title="Trace an address">
      <Trace traced={address ?? ''} onTrace={onTrace} onOpen={onOpen} />
    </DialogFrame>
  );
}

type TraceProps = Pick<TraceDialogProps, 'onTrace' | 'onOpen'> & { traced: string };

function Trace({ traced, onTrace, onOpen }: TraceProps) {
  const [typed, setTyped] = useState(traced);
  const [error, setError] = useState<string | null>(null);
  const hasAddress = parseAddress(traced) !== null;
  const answer = trpc.aliases.resolve.useQuery({ address: traced }, { enabled: hasAddress, staleTime: 0 });
  const problem = hasAddress && answer.error ? toProblem(answer.error) : null;
  const isOutsideScope = problem?.code === 'DOMAIN_NOT_FOUND' || problem?.code === 'FORBIDDEN';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const address = typed.trim();
    if (parseAddress(address) === null) {
      setError(addressError(address));
      return;
    }
    setError(null);
    if (address === traced) void answer.refetch();
    else onTrace(address);
  };

  return (
    <DialogFields>
      <form className={classes.form} onSubmit={submit} noValidate>
        <TextInput
          label="Address"
          className="mono-input"
          placeholder="ann@example.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          inputMode="email"
          data-autofocus
          value={typed}
          error={error ?? (isOutsideScope ? problem?.message : null)}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant="filled" loading={answer.isFetching}>
          Trace
        </Button>
      </form>
      <div role="status" className={classes.answer}>
        {hasAddress && answer.data && !problem ? (
          <TraceResult resolution={answer.data} onOpen={onOpen} />
        ) : (
          !problem && <p className="soft">Shows how the mail server would route a message to this address right now.</p>
        )}
      </div>
      {problem && !isOutsideScope && <ProblemAlert problem={problem} />}
    </DialogFields>
  );
}

function TraceResult({ resolution, onOpen }: Pick<TraceDialogProps, 'onOpen'> & { resolution: Resolution }) {
  const { address, alias_id, mailbox_id, explanation } = resolution;
  return (
    <>
      <p className={classes.text}>{explanation}</p>
      <Timeline label={`Mail for ${address}`} hops={traceHops(resolution)} />
      {mailbox_id && (
        <NearLink className="act" href={`/mailboxes/${mailbox_id}`}>
          Open mailbox
        </NearLink>
      )}
      {alias_id && <TextButton onClick={() => onOpen(alias_id)}>Open alias</TextButton>}
    </>
  );
}
