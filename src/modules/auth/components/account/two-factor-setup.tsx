'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { CopyIcon } from '@/components/values/copy-button';
import { CodeInput, isWholeCode } from '../code-input';
import { QrCode } from './qr-code';
import classes from './two-factor-setup.module.css';

type EnrolmentProps = {
  uri: string;
  secret: string;
  onCancel: () => void;
  onEnabled: (recoveryCodes: string[]) => void;
};

/** Setup of two-factor authentication, which is enabled once a code was correct. */
export function TwoFactorSetup({ uri, secret, onCancel, onEnabled }: EnrolmentProps) {
  const [code, setCode] = useState('');
  const [failures, setFailures] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const enable = trpc.auth.enableTotp.useMutation({
    onSuccess: ({ recovery_codes }) => onEnabled(recovery_codes),
    onError: (error) => {
      setCode('');
      setFailures((count) => count + 1);
      setProblem(toProblem(error));
    },
  });
  const prove = (digits: string) => {
    if (enable.isPending) return;
    setProblem(null);
    enable.mutate({ code: digits });
  };
  const isWrong = problem?.code === 'TOTP_INVALID';

  return (
    <div className={classes.setup}>
      <QrCode value={uri} label="QR code for an authenticator app" />
      <ol>
        <li>
          <p>
            <b>Scan the QR code</b> with an authenticator app, or enter the secret manually.
          </p>
          <p className={classes.secret}>
            <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
            <CopyIcon value={secret} what="the secret" />
          </p>
        </li>
        <li>
          <p>
            <b>Enter the six-digit code</b> from the app.
          </p>
          <form
            className={classes.verify}
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              prove(code);
            }}
          >
            <CodeInput
              key={failures}
              autoFocus={failures > 0}
              value={code}
              error={isWrong ? problem.message : null}
              onChange={(digits) => {
                setCode(digits);
                if (digits !== '') setProblem(null);
              }}
              onComplete={prove}
            />
            <Button variant="filled" type="submit" loading={enable.isPending} disabled={!isWholeCode(code)}>
              Enable
            </Button>
            <Button variant="subtle" color="gray" onClick={onCancel}>
              Cancel
            </Button>
          </form>
          {!isWrong && <ProblemAlert problem={problem} />}
        </li>
        <li>
          <p>
            <b>Save your ten recovery codes.</b> They are shown once, after this step.
          </p>
        </li>
      </ol>
    </div>
  );
}
