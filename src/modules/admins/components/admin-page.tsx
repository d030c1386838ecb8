'use client';

import { useRouter } from 'next/navigation';
import type { ReactNode } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { DeleteSection } from '@/components/dialogs/delete-section';
import { LoadFailed } from '@/components/load-failed';
import { PageHeader } from '@/components/page-header';
import { RecordTabs } from '@/components/record-tabs';
import { Page } from '@/components/shell/page';
import { TimeAgo } from '@/components/values/time-ago';
import { formatDay } from '@/lib/format';
import type { Admin } from '../schema';
import { AdminAccess } from './admin-access';
import { roleLabel } from './admin-columns';
import { AdminSignIn } from './admin-sign-in';

const CRUMB = { label: 'Admins', href: '/admins' };

type AdminPageProps = {
  id: string;
  /** Who changed the admin, of another module. */
  history: ReactNode;
};

export function AdminPage({ id, history }: AdminPageProps) {
  const { data: admin, isError, error, refetch } = trpc.admins.get.useQuery({ id });

  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });

  if (isError && !admin) {
    return <LoadFailed parent={CRUMB} title="Admin" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHeader
        hasTabs
        parent={CRUMB}
        title={admin?.email}
        mono
        description={
          admin && (
            <>
              <span>{roleLabel(admin.role)}</span>
              <span>
                {admin.last_login_at ? (
                  <>
                    Last signed in <TimeAgo iso={admin.last_login_at} />
                  </>
                ) : (
                  'Never signed in'
                )}
              </span>
              <span className="only-wide">Added {formatDay(admin.created_at)}</span>
            </>
          )
        }
      />
      <RecordTabs label="Admin" isWaiting={!admin || !me.data} history={history}>
        {admin && me.data && (
          <>
            <AdminAccess key={admin.id} admin={admin} />
            <AdminSignIn admin={admin} isOwn={me.data.id === admin.id} />
            <DeleteAdmin admin={admin} />
          </>
        )}
      </RecordTabs>
    </Page>
  );
}

function DeleteAdmin({ admin }: { admin: Admin }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const deletion = trpc.admins.delete.useMutation({
    onSuccess: async () => {
      router.push('/admins');
      await utils.admins.list.invalidate();
    },
  });

  return (
    <DeleteSection
      hint="Ends the admin’s sessions and revokes their API keys immediately. The audit log keeps their entries."
      action="Delete admin"
      name={admin.email}
      typeToConfirm={admin.email}
      consequence="They are signed out, and applications that use their API keys lose access. This can’t be undone."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('admin', admin, { id: admin.id }))}
    />
  );
}
