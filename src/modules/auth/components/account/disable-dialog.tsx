'use client';

import { useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { CodeInput, isWholeCode } from '../code-input';

type DisableDialogProps = { opened: boolean; onClose: () => void };

export function DisableDialog({ opened, onClose }: DisableDialogProps) {
  const utils = trpc.useUtils();
  const [code, setCode] = useState('');
  const [failures, setFailures] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const close = () => {
    setCode('');
    setProblem(null);
    onClose();
  };
  const disable = trpc.auth.disableTotp.useMutation({
    onSuccess: async () => {
      await utils.auth.me.invalidate();
      close();
    },
    onError: (error) => {
      setCode('');
      setFailures((count) => count + 1);
      setProblem(toProblem(error));
    },
  });

  return (
    <Dialog
      opened={opened}
      title="Disable two-factor authentication?"
      action="Disable"
      isDanger
      isBusy={disable.isPending}
      isDisabled={!isWholeCode(code)}
      onClose={close}
      onSubmit={(event) => {
        event.preventDefault();
        setProblem(null);
        if (isWholeCode(code) && !disable.isPending) disable.mutate({ code });
      }}
    >
      <p className="soft">
        You will sign in with your password only. Enter the current code from your authenticator app.
      </p>
      <CodeInput key={failures} autoFocus value={code} onChange={setCode} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
