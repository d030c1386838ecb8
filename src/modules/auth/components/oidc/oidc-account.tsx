'use client';

import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { confirmLeave } from '@/components/dialogs/navigation-guard';
import { FormColumn } from '@/components/layout/form-layout';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { OidcNotice } from './oidc-notice';

/** The linked identity provider. `linked` is undefined until the profile is loaded. */
export function OidcAccount({ linked }: { linked: string | null | undefined }) {
  const providers = trpc.auth.oidcProviders.useQuery({}, { staleTime: Number.POSITIVE_INFINITY });
  const listed = providers.data ?? [];
  const isLoading = linked === undefined || providers.isPending;
  const nameOf = (id: string) => listed.find((provider) => provider.id === id)?.name ?? id;

  return (
    <SettingsSection
      title="Identity provider"
      hint="Sign in with an account there instead of your password."
      state={isLoading ? <Skeleton width={40} /> : <State name={linked && nameOf(linked)} />}
    >
      <FormColumn style={{ minHeight: 68, alignContent: 'start' }}>
        <OidcNotice />
        {isLoading && <Skeleton width={328} />}
        {!isLoading && linked !== null && <Linked name={nameOf(linked)} />}
        {!isLoading && linked === null && listed.length > 0 && <LinkButtons providers={listed} />}
        {!isLoading && linked === null && listed.length === 0 && (
          <p className="soft">
            No identity provider is configured. Set <code>OIDC_PROVIDERS</code> on the server to add one:{' '}
            <NearLink href="/docs/access#set-up-single-sign-on">Set up single sign-on</NearLink>
          </p>
        )}
      </FormColumn>
    </SettingsSection>
  );
}

function State({ name }: { name: string | null }) {
  return name === null ? <StatusMark status="off">Not linked</StatusMark> : <StatusMark status="on">{name}</StatusMark>;
}

function Linked({ name }: { name: string }) {
  const utils = trpc.useUtils();
  const [isConfirming, setIsConfirming] = useState(false);
  const disconnect = trpc.auth.oidcDisconnect.useMutation({
    onSuccess: async () => {
      await utils.auth.me.invalidate();
      setIsConfirming(false);
    },
  });
  return (
    <>
      <div>
        <Button className="danger" onClick={() => setIsConfirming(true)}>
          Disconnect
        </Button>
      </div>
      <ConfirmDialog
        opened={isConfirming}
        title={`Disconnect ${name}?`}
        action="Disconnect"
        problem={disconnect.error ? toProblem(disconnect.error) : null}
        isBusy={disconnect.isPending}
        onClose={() => {
          disconnect.reset();
          setIsConfirming(false);
        }}
        onConfirm={() => disconnect.mutate({})}
      >
        <p className="soft">You will sign in with your password. Open sessions stay signed in.</p>
      </ConfirmDialog>
    </>
  );
}

function LinkButtons({ providers }: { providers: { id: string; name: string }[] }) {
  const link = trpc.auth.oidcLink.useMutation({ onSuccess: ({ url }) => window.location.assign(url) });
  return (
    <>
      <ProblemAlert problem={link.error ? toProblem(link.error) : null} />
      <Group>
        {providers.map(({ id, name }) => (
          <Button
            key={id}
            loading={link.isPending && link.variables.provider === id}
            onClick={() => confirmLeave(() => link.mutate({ provider: id }))}
          >
            Link {name}
          </Button>
        ))}
      </Group>
    </>
  );
}
