'use client';

import { Modal } from '@mantine/core';
import { reportSessionRegained } from '@/components/api/session-lost';
import { trpc } from '@/components/api/trpc';
import { LoginForm } from './login-form';

export function SignInAgain() {
  const utils = trpc.useUtils();
  const email = utils.auth.me.getData({})?.email;

  const resume = () => {
    reportSessionRegained();
    void utils.invalidate();
  };

  return (
    <Modal opened onClose={reportSessionRegained} title="Sign in again" yOffset={72} size={400}>
      <div className="fields">
        <p className="soft">Your session has ended. What you have written here is kept; sign in and go on.</p>
        <LoginForm email={email} onSignedIn={resume} />
      </div>
    </Modal>
  );
}
