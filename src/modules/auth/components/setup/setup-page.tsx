'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { type Hop, Timeline } from '@/components/marks/timeline';
import { Postcard } from '../postcard';
import { SetupAdmin } from './setup-admin';
import { SetupDomain } from './setup-domain';
import { SetupTestSend } from './setup-test-send';

type Step = { name: 'admin' } | { name: 'domain'; email: string } | { name: 'send'; email: string; domain: string };

const STEPS = [
  {
    name: 'admin',
    code: 'ONE',
    rim: 'STEP ONE',
    title: 'The first admin',
    detail: 'Can do everything, others included',
  },
  { name: 'domain', code: 'TWO', rim: 'STEP TWO', title: 'The first domain', detail: 'What stands after the @' },
  { name: 'send', code: 'SEND', rim: 'STEP THREE', title: 'A test message', detail: 'From you to you' },
] as const;

export function SetupPage() {
  const token = useSearchParams().get('token') ?? '';
  const [step, setStep] = useState<Step>({ name: 'admin' });
  const status = trpc.auth.setupStatus.useQuery({ token }, { staleTime: Number.POSITIVE_INFINITY });
  const isRefused = step.name === 'admin' && status.data && !(status.data.needs_setup && status.data.token_valid);

  if (status.isError) {
    return (
      <Postcard lines={<Timeline label="Setting up" hops={hops('admin')} />} isWide>
        <h1>Set up Postroom</h1>
        <ErrorState what="the state of the set-up" error={status.error} onRetry={() => void status.refetch()} />
      </Postcard>
    );
  }
  if (isRefused) {
    return (
      <Postcard lines={<Timeline label="Setting up" hops={hops('admin')} />}>
        <SetupRefused needsSetup={status.data.needs_setup} />
      </Postcard>
    );
  }
  return (
    <Postcard lines={<Timeline label="Setting up" hops={hops(step.name)} />}>
      {step.name === 'admin' && (
        <SetupAdmin
          token={token}
          isReady={status.data !== undefined}
          onDone={(email) => setStep({ name: 'domain', email })}
        />
      )}
      {step.name === 'domain' && (
        <SetupDomain onDone={(domain) => setStep({ name: 'send', email: step.email, domain })} />
      )}
      {step.name === 'send' && <SetupTestSend email={step.email} domain={step.domain} />}
    </Postcard>
  );
}

function SetupRefused({ needsSetup }: { needsSetup: boolean }) {
  if (!needsSetup) {
    return (
      <>
        <h1>Already set up</h1>
        <p className="soft lead">This link has done its work: Postroom has an admin. Sign in as one of them.</p>
        <Button component={Link} href="/login" variant="filled" fullWidth>
          Sign in
        </Button>
      </>
    );
  }
  return (
    <>
      <h1>This link does not fit</h1>
      <p className="soft lead">
        It is not the one this server gave out. Look at the output of the server for the line that begins with{' '}
        <code>Set up the first admin</code>, and open the link that stands there.
      </p>
    </>
  );
}

function hops(current: Step['name']): Hop[] {
  const at = STEPS.findIndex(({ name }) => name === current);
  return STEPS.map(({ name, code, rim, title, detail }, index) => ({
    id: name,
    code,
    state: index < at ? 'delivered' : index === at ? 'passed' : 'pending',
    rim: [rim, 'POSTROOM'],
    title,
    detail: index < at ? 'Done' : detail,
  }));
}
