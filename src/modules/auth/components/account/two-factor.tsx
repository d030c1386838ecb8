'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { FormColumn } from '@/components/layout/form-layout';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { DisableDialog } from './disable-dialog';
import { RecoveryCodesDialog } from './recovery-codes-dialog';
import classes from './two-factor.module.css';
import { TwoFactorSetup } from './two-factor-setup';

const BENEFIT = 'Protects your account even if your password is stolen. You need an authenticator app on your phone.';

export function TwoFactor({ isEnabled }: { isEnabled: boolean | undefined }) {
  const utils = trpc.useUtils();
  const [codes, setCodes] = useState<string[] | null>(null);
  const [isDisabling, setIsDisabling] = useState(false);
  const setUp = trpc.auth.setUpTotp.useMutation();

  return (
    <SettingsSection
      title="Two-factor authentication"
      hint="A code at each sign-in, after your password."
      state={<State isEnabled={isEnabled} isPending={setUp.isSuccess} />}
    >
      {isEnabled === undefined && <LoadingText />}
      {isEnabled === true && (
        <FormColumn>
          <p className="soft">If you lose the authenticator app, sign in with a recovery code.</p>
          <div>
            <Button className="danger" onClick={() => setIsDisabling(true)}>
              Disable
            </Button>
          </div>
        </FormColumn>
      )}
      {isEnabled === false && setUp.data && (
        <TwoFactorSetup
          uri={setUp.data.provisioning_uri}
          secret={setUp.data.secret}
          onCancel={setUp.reset}
          onEnabled={(recoveryCodes) => {
            setUp.reset();
            setCodes(recoveryCodes);
            void utils.auth.me.invalidate();
          }}
        />
      )}
      {isEnabled === false && !setUp.data && (
        <FormColumn>
          <p className="soft">{BENEFIT}</p>
          <ProblemAlert problem={setUp.error ? toProblem(setUp.error) : null} />
          <div>
            <Button variant="filled" loading={setUp.isPending} onClick={() => setUp.mutate({})}>
              Set up
            </Button>
          </div>
        </FormColumn>
      )}
      {codes && <RecoveryCodesDialog codes={codes} onStored={() => setCodes(null)} />}
      <DisableDialog opened={isDisabling} onClose={() => setIsDisabling(false)} />
    </SettingsSection>
  );
}

// Has the height of the final content, however its text wraps.
function LoadingText() {
  return (
    <FormColumn className={classes.ghost} aria-hidden="true">
      <p>{BENEFIT}</p>
      <div>
        <Button component="span">Set up</Button>
      </div>
    </FormColumn>
  );
}

function State({ isEnabled, isPending }: { isEnabled: boolean | undefined; isPending: boolean }) {
  if (isEnabled === undefined) return <Skeleton width={40} />;
  if (isEnabled) return <StatusMark status="on">Enabled</StatusMark>;
  return <StatusMark status="warning">{isPending ? 'Setup pending' : 'Disabled'}</StatusMark>;
}
