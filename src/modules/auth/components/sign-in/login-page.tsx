'use client';

import { Stack } from '@mantine/core';
import dynamic from 'next/dynamic';
import { useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';
import { loadPart } from '@/components/load-part';
import { setTimeZone } from '@/components/values/use-time-zone';
import { safeNextPath } from '@/lib/access/next-path';
import type { OidcProviders } from '../../oidc/schema';
import { OidcButtons } from '../oidc/oidc-buttons';
import { OidcNotice } from '../oidc/oidc-notice';
import { readPendingFromFragment } from '../oidc/oidc-pending';
import { AddressLines, Postcard } from '../postcard';
import { hasSessionCookie, NoCookie } from './no-cookie';
import type { PendingSignIn } from './pending-sign-in';
import { SignIn } from './sign-in';

/** Loaded with the second step. */
const SignInSteps = dynamic(() => loadPart(import('./sign-in-steps').then((module) => module.SignInSteps)));

export function LoginPage({ providers }: { providers: OidcProviders }) {
  const next = safeNextPath(useSearchParams().get('next'));
  const [pending, setPending] = useState<PendingSignIn | null>(null);
  const [hasNoCookie, setHasNoCookie] = useState(false);

  useEffect(() => {
    const proved = readPendingFromFragment(window.location.hash);
    if (!proved) return;
    window.history.replaceState(null, '', `${window.location.pathname}${window.location.search}`);
    setPending(proved);
  }, []);

  const enter = async () => {
    if (!(await hasSessionCookie())) {
      setPending(null);
      setHasNoCookie(true);
      return;
    }
    // The first page of the console then comes with its data.
    setTimeZone(null);
    window.location.replace(next);
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
        {hasNoCookie ? (
          <NoCookie onRetry={() => setHasNoCookie(false)} />
        ) : (
          <SignIn pending={pending} onPending={setPending} onSignedIn={enter}>
            <OidcButtons providers={providers} next={next} />
          </SignIn>
        )}
      </Stack>
    </Postcard>
  );
}
