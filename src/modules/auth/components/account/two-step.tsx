'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { DisableDialog } from './disable-dialog';
import { Enrolment } from './enrolment';
import { RecoveryCodesDialog } from './recovery-codes-dialog';

const PROMISE = 'A stolen password alone opens nothing then. You need an authenticator app on your phone.';

export function TwoStep({ isEnabled }: { isEnabled: boolean | undefined }) {
  const utils = trpc.useUtils();
  const [codes, setCodes] = useState<string[] | null>(null);
  const [isDisabling, setIsDisabling] = useState(false);
  const setUp = trpc.auth.setUpTotp.useMutation();

  return (
    <SettingsSection
      title="Two-step sign-in"
      hint="After your password, Postroom asks for a code from an app on your phone."
      state={<State isEnabled={isEnabled} isBegun={setUp.isSuccess} />}
    >
      {isEnabled === undefined && <Bones />}
      {isEnabled === true && (
        <div className="form-column">
          <p className="soft">A code is asked for at every sign-in. Without the app, a recovery code lets you in.</p>
          <div>
            <Button className="danger" onClick={() => setIsDisabling(true)}>
              Turn off
            </Button>
          </div>
        </div>
      )}
      {isEnabled === false && setUp.data && (
        <Enrolment
          uri={setUp.data.provisioning_uri}
          onCancel={setUp.reset}
          onEnabled={(recoveryCodes) => {
            setUp.reset();
            setCodes(recoveryCodes);
            void utils.auth.me.invalidate();
          }}
        />
      )}
      {isEnabled === false && !setUp.data && (
        <div className="form-column">
          <p className="soft">{PROMISE}</p>
          <ProblemAlert problem={setUp.error ? toProblem(setUp.error) : null} />
          <div>
            <Button loading={setUp.isPending} onClick={() => setUp.mutate({})}>
              Set up
            </Button>
          </div>
        </div>
      )}
      {codes && <RecoveryCodesDialog codes={codes} onStored={() => setCodes(null)} />}
      <DisableDialog opened={isDisabling} onClose={() => setIsDisabling(false)} />
    </SettingsSection>
  );
}

// As tall as what comes, however its text wraps.
function Bones() {
  return (
    <div className="form-column ghost" aria-hidden="true">
      <p>{PROMISE}</p>
      <div>
        <Button component="span">Set up</Button>
      </div>
    </div>
  );
}

function State({ isEnabled, isBegun }: { isEnabled: boolean | undefined; isBegun: boolean }) {
  if (isEnabled === undefined) return <span className="skeleton" style={{ width: 40 }} />;
  if (isEnabled) return <StatusMark status="on">On</StatusMark>;
  return <StatusMark status="off">{isBegun ? 'Being set up' : 'Off'}</StatusMark>;
}
