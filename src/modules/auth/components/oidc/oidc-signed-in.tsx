'use client';

import { Button } from '@mantine/core';
import { useSearchParams } from 'next/navigation';
import { useEffect } from 'react';
import { safeNextPath } from '@/lib/routes';
import { AddressLines, Postcard } from '../postcard';

/** Goes on by itself: a step from this site brings the Strict cookie along, which the one from another site did not. */
export function OidcSignedIn() {
  const next = safeNextPath(useSearchParams().get('next'));

  useEffect(() => window.location.replace(next), [next]);

  return (
    <Postcard lines={<AddressLines lines={['Postroom administration', 'For the admins of this server']} />}>
      <h1>One moment</h1>
      <p className="soft lead">You are back from the identity provider, and the console opens by itself.</p>
      <Button component="a" href={next} variant="filled" fullWidth>
        Open the console
      </Button>
    </Postcard>
  );
}
