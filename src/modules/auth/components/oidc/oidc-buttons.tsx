'use client';

import { Button, Stack } from '@mantine/core';
import { trpc } from '@/components/api/trpc';

/** A link for each identity provider. Full page loads, because they leave this site. */
export function OidcButtons({ next }: { next: string }) {
  const providers = trpc.auth.oidcProviders.useQuery({}, { staleTime: Number.POSITIVE_INFINITY });
  if (!providers.data?.length) return null;
  return (
    <Stack>
      {providers.data.map(({ id, name }) => (
        <Button
          key={id}
          component="a"
          href={`/api/v1/auth/oidc/login/${id}?${new URLSearchParams({ next })}`}
          fullWidth
        >
          Sign in with {name}
        </Button>
      ))}
    </Stack>
  );
}
