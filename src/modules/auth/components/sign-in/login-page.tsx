'use client';

import { Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { reportSessionRegained } from '@/components/api/session-lost';
import { safeNextPath } from '@/lib/routes';
import { OidcButtons } from '../oidc/oidc-buttons';
import { OidcNotice } from '../oidc/oidc-notice';
import { readPendingFromFragment } from '../oidc/oidc-pending';
import { AddressLines, Postcard } from '../postcard';
import type { PendingSignIn } from './pending-sign-in';
import { SignIn } from './sign-in';
import { SignInSteps } from './sign-in-steps';

export function LoginPage() {
  const router = useRouter();
  const next = safeNextPath(useSearchParams().get('next'));
  const queryClient = useQueryClient();
  const [pending, setPending] = useState<PendingSignIn | null>(null);

  useEffect(() => {
    const proved = readPendingFromFragment(window.location.hash);
    if (!proved) return;
    window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}`);
    setPending(proved);
  }, []);

  const enter = () => {
    queryClient.clear();
    reportSessionRegained();
    router.replace(next);
  };

  const lines = pending ? (
    <SignInSteps pending={pending} />
  ) : (
    <AddressLines lines={['Postroom administration', 'For admins of this server']} />
  );

  return (
    <Postcard lines={lines} step={pending ? 'code' : 'password'}>
      <h1>{pending ? 'Enter your code' : 'Sign in'}</h1>
      <Stack>
        {!pending && <OidcNotice />}
        <SignIn pending={pending} onPending={setPending} onSignedIn={enter}>
          <OidcButtons next={next} />
        </SignIn>
      </Stack>
    </Postcard>
  );
}
