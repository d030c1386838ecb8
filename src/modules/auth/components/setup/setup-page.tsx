'use client';

import { Stack } from '@mantine/core';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { isSessionLost, toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { type Hop, Timeline } from '@/components/marks/timeline';
import { SettingsSkeleton } from '@/components/settings-section';
import { Postcard } from '../postcard';
import { NoCookie } from '../sign-in/no-cookie';
import { SetupAdmin } from './setup-admin';
import { SetupDns } from './setup-dns';
import { SetupDomain } from './setup-domain';
import { AlreadySetUp, InvalidLink, NotSetUp, SetupDone } from './setup-ends';
import { SetupSend } from './test-send/setup-send';
import { nextStep, type SetupProgress, STEP_NAMES, type StepName, useSetup } from './use-setup';

const STEPS: Record<StepName, { code: string; rim: string; title: string; detail: string }> = {
  admin: { code: 'ONE', rim: 'STEP ONE', title: 'Admin', detail: 'Full access, including managing admins' },
  domain: { code: 'TWO', rim: 'STEP TWO', title: 'Domain', detail: 'The part after the @' },
  dns: { code: 'DNS', rim: 'STEP THREE', title: 'DNS records', detail: 'At your DNS provider' },
  send: { code: 'SEND', rim: 'STEP FOUR', title: 'Test message', detail: 'To a mailbox, or another address of yours' },
};

/** Without a step, the URL leads to the first one that is left. */
const URL_STATE = {
  token: parseAsString.withDefault(''),
  step: parseAsStringLiteral(STEP_NAMES),
  domain: parseAsString,
};

export function SetupPage() {
  const [{ token, step, domain }, setState] = useQueryStates(URL_STATE, { history: 'push' });
  const status = trpc.auth.setupStatus.useQuery({ token: token || undefined }, { staleTime: Number.POSITIVE_INFINITY });
  const isFirst = status.data?.needs_setup !== false && (step ?? 'admin') === 'admin';
  const { progress, error, refetch } = useSetup(domain, !isFirst);
  const [sentAs, setSentAs] = useState<string | null>(null);
  const [isCreated, setIsCreated] = useState(false);
  const current = isFirst ? 'admin' : progress && (sentAs ? 'send' : stepOf(step, progress));
  const goTo = (next: StepName, domainId?: string) =>
    void setState({ step: next, token: null, ...(domainId && { domain: domainId }) });

  return (
    <Postcard
      lines={
        <Timeline
          label="Setup steps"
          hops={hops(sentAs ? null : current, progress && { ...progress.done, ...(sentAs && { send: true }) })}
        />
      }
      step={current}
      isWide={current === 'dns' || status.isError}
    >
      {isFirst ? (
        <FirstStep
          isValid={status.data?.token_valid}
          error={status.error}
          onRetry={() => void status.refetch()}
          token={token}
          onDone={() => {
            setIsCreated(true);
            void status.refetch();
            goTo('domain');
          }}
        />
      ) : error ? (
        <Failed error={error} isCreated={isCreated} onRetry={refetch} />
      ) : progress ? (
        <LaterStep step={current} progress={progress} onStep={goTo} sentAs={sentAs} onSent={setSentAs} />
      ) : (
        <SettingsSkeleton heights={[200]} />
      )}
    </Postcard>
  );
}

type FirstStepProps = {
  token: string;
  /** Undefined while it is being checked. */
  isValid: boolean | undefined;
  error: unknown;
  onRetry: () => void;
  onDone: () => void;
};

function FirstStep({ token, isValid, error, onRetry, onDone }: FirstStepProps) {
  if (error) {
    return (
      <>
        <h1>Set up Postroom</h1>
        <ErrorState what="the setup status" error={error} onRetry={onRetry} />
      </>
    );
  }
  if (isValid === false) return token === '' ? <NotSetUp /> : <InvalidLink />;
  return <SetupAdmin token={token} isReady={isValid === true} onDone={onDone} />;
}

type FailedProps = { error: unknown; isCreated: boolean; onRetry: () => void };

function Failed({ error, isCreated, onRetry }: FailedProps) {
  if (isSessionLost(toProblem(error))) return isCreated ? <AdminWithoutCookie /> : <AlreadySetUp />;
  return <ErrorState what="the setup" error={error} onRetry={onRetry} />;
}

/** The admin exists, so another browser goes on from the sign-in page. */
function AdminWithoutCookie() {
  return (
    <Stack>
      <h1>Admin created</h1>
      <NoCookie onRetry={() => window.location.assign('/login')} />
    </Stack>
  );
}

type LaterStepProps = {
  step: StepName | null | undefined;
  progress: SetupProgress;
  onStep: (step: StepName, domainId?: string) => void;
  sentAs: string | null;
  onSent: (messageId: string) => void;
};

/** A step of the admin who is signed in. */
function LaterStep({ step, progress: { email, domain }, onStep, ...sending }: LaterStepProps) {
  if (step === null) return <SetupDone />;
  if (step === 'domain' || !domain) return <SetupDomain added={domain} onDone={(id) => onStep('dns', id)} />;
  if (step === 'dns') {
    return <SetupDns domain={domain} onBack={() => onStep('domain')} onDone={() => onStep('send')} />;
  }
  return <SetupSend email={email} domain={domain} onBack={() => onStep('dns')} {...sending} />;
}

/** Other steps need a domain. */
function stepOf(chosen: StepName | null, progress: SetupProgress): StepName | null {
  if (!progress.domain) return 'domain';
  return chosen && chosen !== 'admin' ? chosen : nextStep(progress);
}

function hops(current: StepName | null | undefined, done: SetupProgress['done'] | undefined): Hop[] {
  return STEP_NAMES.map((name) => {
    const { code, rim, title, detail } = STEPS[name];
    const isDone = done?.[name] && name !== current;
    return {
      id: name,
      code,
      state: isDone ? 'delivered' : name === current ? 'passed' : 'pending',
      rim: [rim, 'POSTROOM'],
      title,
      detail: isDone ? 'Done' : detail,
    };
  });
}
