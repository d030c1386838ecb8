'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { ROLE_LABELS } from '@/components/shell/navigation/account-menu';
import { Page } from '@/components/shell/page';
import { useTimeZone } from '@/components/values/use-time-zone';
import { OidcAccount } from '../oidc/oidc-account';
import classes from './account-page.module.css';
import { Appearance } from './appearance';
import { Sessions } from './sessions';
import { TwoFactor } from './two-factor';

const PasswordDialog = lazyDialog(() => import('./password-dialog').then((module) => module.PasswordDialog));

export function AccountPage() {
  useTimeZone();
  const utils = trpc.useUtils();
  const update = trpc.auth.updateProfile.useMutation();
  const me = trpc.auth.me.useQuery({});
  // Sections below render once the height of this one is known.
  const providers = trpc.auth.oidcProviders.useQuery({}, { staleTime: Number.POSITIVE_INFINITY });
  const [isChanging, dialog] = useDisclosure(false);

  const setZone = async (time_zone: string | null) => {
    if (!me.data) return;
    try {
      const profile = await update.mutateAsync(ifUnchanged('profile', me.data, { time_zone }));
      utils.auth.me.setData({}, profile);
      notify({ text: 'Time zone saved' });
    } catch (error) {
      notify({ text: 'Couldn’t save the time zone', problem: toProblem(error) });
    }
  };
  const zone = update.isPending ? update.variables.time_zone : me.data?.time_zone;

  return (
    <Page>
      <PageHeader
        title="Account"
        description={
          me.data && (
            <>
              <span>{me.data.email}</span>
              <span className={classes.role}>{ROLE_LABELS[me.data.role]}</span>
            </>
          )
        }
      >
        <Button onClick={dialog.open}>Change password</Button>
      </PageHeader>
      {me.isError && !me.data ? (
        <ErrorState what="your account" error={me.error} onRetry={() => void me.refetch()} />
      ) : (
        <>
          <TwoFactor isEnabled={me.data?.totp_enabled} />
          <OidcAccount linked={me.data?.oidc_provider} />
          {me.data && !providers.isPending && (
            <>
              <Appearance zone={zone ?? null} onZone={(next) => void setZone(next)} />
              <Sessions />
            </>
          )}
        </>
      )}
      <PasswordDialog opened={isChanging} onClose={dialog.close} />
    </Page>
  );
}
