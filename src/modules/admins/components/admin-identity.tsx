'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { FormColumn } from '@/components/layout/form-layout';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import type { LinkedIdentity } from '@/modules/auth/schema';
import type { Admin } from '../schema';

/** The identity that another admin signs in with. */
export function AdminIdentity({ admin }: { admin: Admin }) {
  const { data, error } = trpc.admins.identity.useQuery({ id: admin.id });
  const providers = trpc.auth.oidcProviders.useQuery({}, { staleTime: Number.POSITIVE_INFINITY });
  return (
    <SettingsSection
      title="Identity provider"
      hint="The account at an identity provider that also signs them in."
      state={<State identity={data?.identity} />}
    >
      <FormColumn style={{ minHeight: 68, alignContent: 'start' }}>
        <ProblemAlert problem={error && toProblem(error)} />
        {!data && !error && <Skeleton width={328} />}
        {data && !data.identity && providers.data && (
          <p className="soft">
            {providers.data.length === 0
              ? 'No identity provider is configured.'
              : 'Admins link an account on their own account page.'}
          </p>
        )}
        {data?.identity && <Linked admin={admin} identity={data.identity} />}
      </FormColumn>
    </SettingsSection>
  );
}

function State({ identity }: { identity: LinkedIdentity | null | undefined }) {
  if (identity === undefined) return <Skeleton width={40} />;
  if (identity === null) return <StatusMark status="off">Not linked</StatusMark>;
  return <StatusMark status="on">{identity.provider}</StatusMark>;
}

function Linked({ admin, identity }: { admin: Admin; identity: LinkedIdentity }) {
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const disconnect = trpc.admins.disconnectOidc.useMutation({
    onSuccess: async () => {
      await utils.admins.identity.invalidate({ id: admin.id });
      dialog.close();
    },
  });
  return (
    <>
      <p className="soft">
        Account <code>{identity.subject}</code> at <code>{identity.issuer}</code>.
      </p>
      <div>
        <Button className="danger" onClick={dialog.open}>
          Disconnect
        </Button>
      </div>
      <ConfirmDialog
        opened={opened}
        title="Disconnect the identity provider"
        action="Disconnect"
        problem={disconnect.error ? toProblem(disconnect.error) : null}
        isBusy={disconnect.isPending}
        onClose={() => {
          disconnect.reset();
          dialog.close();
        }}
        onConfirm={() => disconnect.mutate({ id: admin.id })}
      >
        <p className="soft">
          The account no longer signs in <b className="strong">{admin.email}</b>, and their sessions end. They sign in
          with their password.
        </p>
      </ConfirmDialog>
    </>
  );
}
