'use client';

import { useState } from 'react';
import { reportSessionRegained } from '@/components/api/session-lost';
import { trpc } from '@/components/api/trpc';
import { DialogFields, DialogFrame } from '@/components/dialogs/dialog';
import { OidcButtons } from '../oidc/oidc-buttons';
import type { PendingSignIn } from './pending-sign-in';
import { SignIn } from './sign-in';

export function SignInAgainDialog({ onClose }: { onClose: () => void }) {
  const utils = trpc.useUtils();
  const email = utils.auth.me.getData({})?.email;
  const providers = trpc.auth.oidcProviders.useQuery({});
  const [pending, setPending] = useState<PendingSignIn | null>(null);

  const resume = () => {
    reportSessionRegained();
    void utils.invalidate();
  };

  return (
    <DialogFrame opened onClose={onClose} title="Sign in again" size={400}>
      <DialogFields>
        <p className="soft">Your session has ended. Sign in to continue; your changes on this page are kept.</p>
        <SignIn email={email} pending={pending} onPending={setPending} onSignedIn={resume}>
          <OidcButtons providers={providers.data ?? []} next="/" isNewTab />
        </SignIn>
      </DialogFields>
    </DialogFrame>
  );
}
