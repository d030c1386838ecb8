'use client';

import { Button, Modal, TextInput } from '@mantine/core';
import Link from 'next/link';
import { type FormEvent, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Timeline } from '@/components/marks/timeline';
import { parseAddress } from '@/lib/address';
import type { Resolution } from '../../schema';
import { traceHops } from './trace-hops';

type TraceDialogProps = {
  /** The address asked about; empty: none yet; null: closed. */
  address: string | null;
  onAsk: (address: string) => void;
  onOpen: (aliasId: string) => void;
  onClose: () => void;
};

export function TraceDialog({ address, onAsk, onOpen, onClose }: TraceDialogProps) {
  return (
    <Modal opened={address !== null} onClose={onClose} title="Where does mail go?" yOffset={72}>
      <Trace asked={address ?? ''} onAsk={onAsk} onOpen={onOpen} />
    </Modal>
  );
}

type TraceProps = Pick<TraceDialogProps, 'onAsk' | 'onOpen'> & { asked: string };

function Trace({ asked, onAsk, onOpen }: TraceProps) {
  const [typed, setTyped] = useState(asked);
  const [fault, setFault] = useState<string | null>(null);
  const isAsked = parseAddress(asked) !== null;
  const answer = trpc.aliases.resolve.useQuery({ address: asked }, { enabled: isAsked, staleTime: 0 });
  const problem = isAsked && answer.error ? toProblem(answer.error) : null;
  const isForeign = problem?.code === 'DOMAIN_NOT_FOUND' || problem?.code === 'FORBIDDEN';

  const ask = (event: FormEvent) => {
    event.preventDefault();
    const address = typed.trim();
    if (parseAddress(address) === null) {
      setFault('Enter a plain address such as ann@example.com.');
      return;
    }
    setFault(null);
    if (address === asked) void answer.refetch();
    else onAsk(address);
  };

  return (
    <div className="fields">
      <form className="trace-form" onSubmit={ask} noValidate>
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
          error={fault ?? (isForeign ? problem?.message : null)}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant="filled" loading={answer.isFetching}>
          Ask
        </Button>
      </form>
      <div role="status" className="trace-answer">
        {isAsked && answer.data && !problem ? (
          <Answer resolution={answer.data} onOpen={onOpen} />
        ) : (
          !problem && <p className="soft">The answer is the one that the mail server itself gets, at this moment.</p>
        )}
      </div>
      {problem && !isForeign && <ProblemAlert problem={problem} />}
    </div>
  );
}

function Answer({ resolution, onOpen }: Pick<TraceDialogProps, 'onOpen'> & { resolution: Resolution }) {
  const { address, alias_id, mailbox_id, explanation } = resolution;
  return (
    <>
      <p className="trace-text">{explanation}</p>
      <Timeline label={`Mail for ${address}`} hops={traceHops(resolution)} />
      {mailbox_id && (
        <Link className="act" href={`/mailboxes/${mailbox_id}`}>
          Open the mailbox
        </Link>
      )}
      {alias_id && (
        <button type="button" className="act text-button" onClick={() => onOpen(alias_id)}>
          Open the alias
        </button>
      )}
    </>
  );
}
