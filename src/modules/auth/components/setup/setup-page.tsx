'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { type Hop, Timeline } from '@/components/marks/timeline';
import { Lead, Postcard } from '../postcard';
import { SetupAdmin } from './setup-admin';
import { SetupDomain } from './setup-domain';
import { SetupTestSend } from './setup-test-send';

type Step = { name: 'admin' } | { name: 'domain'; email: string } | { name: 'send'; email: string; domain: string };

const STEPS = [
  {
    name: 'admin',
    code: 'ONE',
    rim: 'STEP ONE',
    title: 'Admin',
    detail: 'Full access, including managing admins',
  },
  { name: 'domain', code: 'TWO', rim: 'STEP TWO', title: 'Domain', detail: 'The part after the @' },
  { name: 'send', code: 'SEND', rim: 'STEP THREE', title: 'Test message', detail: 'Sent to yourself' },
] as const;

export function SetupPage() {
  const token = useSearchParams().get('token') ?? '';
  const [step, setStep] = useState<Step>({ name: 'admin' });
  const status = trpc.auth.setupStatus.useQuery({ token }, { staleTime: Number.POSITIVE_INFINITY });
  const isRefused = step.name === 'admin' && status.data && !(status.data.needs_setup && status.data.token_valid);

  if (status.isError) {
    return (
      <Postcard lines={<Timeline label="Setup steps" hops={hops('admin')} />} isWide>
        <h1>Set up Postroom</h1>
        <ErrorState what="the setup status" error={status.error} onRetry={() => void status.refetch()} />
      </Postcard>
    );
  }
  if (isRefused) {
    return (
      <Postcard lines={<Timeline label="Setup steps" hops={hops('admin')} />}>
        <SetupRefused needsSetup={status.data.needs_setup} />
      </Postcard>
    );
  }
  return (
    <Postcard lines={<Timeline label="Setup steps" hops={hops(step.name)} />}>
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
        <Lead>Postroom already has an admin. Sign in instead.</Lead>
        <Button component={Link} href="/login" variant="filled" fullWidth>
          Sign in
        </Button>
      </>
    );
  }
  return (
    <>
      <h1>This setup link isn’t valid</h1>
      <Lead>
        Find the line that starts with <code>Set up the first admin</code> in the server’s output, and open the link
        there. A link is valid for 24 hours; restart the server for a new one.
      </Lead>
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
