'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { DeleteSection } from '@/components/dialogs/delete-section';
import type { Admin } from '../schema';

export function DeleteAdmin({ admin }: { admin: Admin }) {
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
