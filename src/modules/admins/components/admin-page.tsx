'use client';

import { trpc } from '@/components/api/trpc';
import { NotShown } from '@/components/not-shown';
import { PageHead } from '@/components/page-head';
import { Page } from '@/components/shell/page';
import { formatAgo, formatDay } from '@/lib/format';
import { AdminAccess } from './admin-access';
import { roleLabel } from './admin-columns';
import { AdminSignIn } from './admin-sign-in';
import { DeleteAdmin } from './delete-admin';

const CRUMB = { label: 'Admins', href: '/admins' };

export function AdminPage({ id }: { id: string }) {
  const { data: admin, isError, error, refetch } = trpc.admins.get.useQuery({ id });

  if (isError && !admin) {
    return <NotShown crumb={CRUMB} title="Admin" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHead
        crumb={CRUMB}
        title={admin?.email ?? '\u00a0'}
        lede={
          admin && (
            <>
              <span>{roleLabel(admin.role)}</span>
              <span>
                {admin.last_login_at ? `Last signed in ${formatAgo(admin.last_login_at)}` : 'Has never signed in'}
              </span>
              <span className="only-wide">Added {formatDay(admin.created_at)}</span>
            </>
          )
        }
      />
      {admin && (
        <>
          <AdminAccess key={admin.id} admin={admin} />
          <AdminSignIn admin={admin} />
          <DeleteAdmin admin={admin} />
        </>
      )}
    </Page>
  );
}
