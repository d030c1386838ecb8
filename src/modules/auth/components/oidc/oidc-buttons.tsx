import { Button, Stack } from '@mantine/core';
import type { OidcProviders } from '../../oidc/schema';

type OidcButtonsProps = { providers: OidcProviders; next: string };

/** A link for each identity provider. Full page loads, because they leave this site. */
export function OidcButtons({ providers, next }: OidcButtonsProps) {
  if (providers.length === 0) return null;
  return (
    <Stack>
      {providers.map(({ id, name }) => (
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
