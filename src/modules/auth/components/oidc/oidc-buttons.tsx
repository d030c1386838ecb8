import { Button, Stack } from '@mantine/core';
import type { OidcProviders } from '../../oidc/schema';

type OidcButtonsProps = {
  providers: OidcProviders;
  next: string;
  /** Keeps what was entered on this page. */
  isNewTab?: boolean;
};

/** A link for each identity provider. Full page loads, because they leave this site. */
export function OidcButtons({ providers, next, isNewTab }: OidcButtonsProps) {
  if (providers.length === 0) return null;
  return (
    <Stack>
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          component="a"
          href={`/api/v1/auth/oidc/login/${id}?${new URLSearchParams({ next })}`}
          target={isNewTab ? '_blank' : undefined}
          fullWidth
        >
          Sign in with {name}
          {isNewTab && ' (opens a new tab)'}
        </Button>
      ))}
    </Stack>
  );
}
