'use client';

import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { IconArrowLeft } from '@/components/icons/icons';
import { CodeInput, isWholeCode } from '../code-input';
import { Lead } from '../postcard';
import { callProcedure } from './call-procedure';
import classes from './code-form.module.css';
import { LIFETIME_SECONDS, type PendingSignIn } from './pending-sign-in';
import { useSecondsLeft } from './use-seconds-left';
import { useWait } from './use-wait';

type CodeFormProps = {
  pending: PendingSignIn;
  onSignedIn: () => void;
  onBack: (problem: Problem | null) => void;
};

/** The second step: a code from the authenticator app, or a recovery code, within five minutes. */
export function CodeForm({ pending, onSignedIn, onBack }: CodeFormProps) {
  const [isRecovery, setIsRecovery] = useState(false);
  const [code, setCode] = useState('');
  const [failures, setFailures] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const waitSeconds = useWait(problem);
  const secondsLeft = useSecondsLeft(pending.expiresAt);
  const [isBusy, setIsBusy] = useState(false);

  const fail = (error: unknown) => {
    const next = toProblem(error);
    if (next.code === 'SESSION_INVALID') return onBack(next);
    setIsBusy(false);
    setCode('');
    setFailures((count) => count + 1);
    setProblem(next);
  };

  const prove = (given: string) => {
    if (given === '' || isBusy || waitSeconds > 0) return;
    setProblem(null);
    setIsBusy(true);
    const proof = isRecovery ? { recovery_code: given } : { totp_code: given };
    callProcedure('auth.login', { totp_session: pending.token, ...proof }).then(onSignedIn, fail);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove(code.trim());
  };

  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <Lead>
          {isRecovery ? 'One of your ten recovery codes' : 'Six digits from your authenticator app'}
          {pending.email && (
            <>
              {' for '}
              <span className="wrap">{pending.email}</span>
            </>
          )}
        </Lead>
        {isRecovery ? (
          <TextInput
            label="Recovery code"
            description="Each code works once"
            className="mono-input"
            autoComplete="one-time-code"
            autoCapitalize="characters"
            spellCheck={false}
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        ) : (
          <CodeInput key={failures} size="lg" autoFocus value={code} onChange={setCode} onComplete={prove} />
        )}
        <TimeLeft seconds={secondsLeft} />
        <ProblemAlert problem={problem && withAttemptsLeft(problem)} />
        <Button
          variant="filled"
          type="submit"
          fullWidth
          loading={isBusy}
          disabled={waitSeconds > 0 || secondsLeft === 0 || (isRecovery ? code.trim() === '' : !isWholeCode(code))}
        >
          {waitSeconds > 0 ? `Continue (wait ${waitSeconds} s)` : 'Continue'}
        </Button>
        <Button
          fullWidth
          onClick={() => {
            setIsRecovery(!isRecovery);
            setCode('');
            setProblem(null);
          }}
        >
          {isRecovery ? 'Use authenticator app' : 'Use recovery code'}
        </Button>
        <Button variant="subtle" color="gray" leftSection={<IconArrowLeft stroke={1.5} />} onClick={() => onBack(null)}>
          Back to password
        </Button>
      </Stack>
    </form>
  );
}

function TimeLeft({ seconds }: { seconds: number }) {
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  return (
    <div className={classes.timeLeft}>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ width: `${(seconds / LIFETIME_SECONDS) * 100}%` }} />
      </span>
      <span role="timer">{seconds > 0 ? `${clock} left` : 'Expired'}</span>
    </div>
  );
}

function withAttemptsLeft(problem: Problem): Problem {
  const left = problem.details.attempts_left;
  if (typeof left !== 'number') return problem;
  const remaining = left === 0 ? 'No attempts left.' : `${left} ${left === 1 ? 'attempt' : 'attempts'} left.`;
  return { ...problem, message: `${problem.message} ${remaining}` };
}
