'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { isSessionLost, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { type Hop, Timeline } from '@/components/marks/timeline';
import { SettingsSkeleton } from '@/components/settings-section';
import { Lead, Postcard } from '../postcard';
import { SetupAdmin } from './setup-admin';
import { SetupDns } from './setup-dns';
import { SetupDomain } from './setup-domain';
import { SetupTestSend } from './setup-test-send';

type StepName = (typeof STEPS)[number]['name'];

const STEPS = [
  {
    name: 'admin',
    code: 'ONE',
    rim: 'STEP ONE',
    title: 'Admin',
    detail: 'Full access, including managing admins',
  },
  { name: 'domain', code: 'TWO', rim: 'STEP TWO', title: 'Domain', detail: 'The part after the @' },
  { name: 'dns', code: 'DNS', rim: 'STEP THREE', title: 'DNS records', detail: 'At your DNS provider' },
  { name: 'send', code: 'SEND', rim: 'STEP FOUR', title: 'Test message', detail: 'Sent to yourself' },
] as const;

/** The steps after the first are in the URL, so that they can be left and resumed. */
const URL_STATE = {
  token: parseAsString.withDefault(''),
  step: parseAsStringLiteral(['admin', 'domain', 'dns', 'send']).withDefault('admin'),
  domain: parseAsString,
};

export function SetupPage() {
  const [{ token, step, domain }, setState] = useQueryStates(URL_STATE, { history: 'push' });
  const status = trpc.auth.setupStatus.useQuery({ token }, { staleTime: Number.POSITIVE_INFINITY });
  const isRefused = step === 'admin' && status.data && !(status.data.needs_setup && status.data.token_valid);
  const lines = <Timeline label="Setup steps" hops={hops(step)} />;

  if (step !== 'admin') {
    return (
      <Postcard lines={lines} isWide={step === 'dns'}>
        <LaterStep
          step={step}
          domainId={domain}
          onStep={(next, id) => void setState({ step: next, domain: id ?? domain })}
        />
      </Postcard>
    );
  }
  if (status.isError) {
    return (
      <Postcard lines={lines} isWide>
        <h1>Set up Postroom</h1>
        <ErrorState what="the setup status" error={status.error} onRetry={() => void status.refetch()} />
      </Postcard>
    );
  }
  return (
    <Postcard lines={lines}>
      {isRefused ? (
        <SetupRefused needsSetup={status.data.needs_setup} />
      ) : (
        <SetupAdmin
          token={token}
          isReady={status.data !== undefined}
          onDone={() => void setState({ step: 'domain', token: null })}
        />
      )}
    </Postcard>
  );
}

type LaterStepProps = {
  step: Exclude<StepName, 'admin'>;
  domainId: string | null;
  onStep: (step: StepName, domainId?: string) => void;
};

/** A step of the admin who is signed in. */
function LaterStep({ step, domainId, onStep }: LaterStepProps) {
  const me = trpc.auth.me.useQuery({});
  const domain = trpc.domains.get.useQuery({ id: domainId ?? '' }, { enabled: domainId !== null });
  const error = me.error ?? domain.error;
  if (error) {
    if (isSessionLost(toProblem(error))) return <SetupRefused needsSetup={false} />;
    return <ErrorState what="the setup" error={error} onRetry={() => void me.refetch()} />;
  }
  if (step === 'domain' || domainId === null) return <SetupDomain onDone={(id) => onStep('dns', id)} />;
  if (!me.data || !domain.data) return <SettingsSkeleton heights={[200]} />;
  if (step === 'dns') return <SetupDns domain={domain.data} onDone={() => onStep('send')} />;
  return <SetupTestSend email={me.data.email} domain={domain.data.name} />;
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

function hops(current: StepName): Hop[] {
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
