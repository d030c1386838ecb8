'use client';

import { Button } from '@mantine/core';
import { useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import { tellOtherTabs } from '@/components/api/other-tabs';
import { safeNextPath } from '@/lib/access/next-path';
import { AddressLines, Lead, Postcard } from '../postcard';

/** Navigates automatically: a same-site navigation sends the Strict cookie, unlike the redirect from the provider. */
export function OidcSignedIn() {
  const next = safeNextPath(useSearchParams().get('next'));

  useEffect(() => {
    // One of them may wait for this sign-in.
    tellOtherTabs('auth');
    window.location.replace(next);
  }, [next]);

  return (
    <Postcard step={null} lines={<AddressLines lines={['Postroom administration', 'For admins of this server']} />}>
      <h1>One moment</h1>
      <Lead>You are signed in. The console opens automatically.</Lead>
      <Button component="a" href={next} variant="filled" fullWidth>
        Open the console
      </Button>
    </Postcard>
  );
}
