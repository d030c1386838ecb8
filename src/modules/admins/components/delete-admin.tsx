'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { SettingsSection } from '@/components/settings-section';
import type { Admin } from '../schema';

export function DeleteAdmin({ admin }: { admin: Admin }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.admins.delete.useMutation({
    onSuccess: async () => {
      router.push('/admins');
      await utils.admins.list.invalidate();
    },
  });

  return (
    <SettingsSection
      title="Delete"
      hint="Ends the admin’s sessions and revokes their API keys immediately. The audit log keeps their entries."
    >
      <Button className="danger" onClick={dialog.open}>
        Delete admin
      </Button>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${admin.email}`}
        action="Delete admin"
        typeToConfirm={admin.email}
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate(ifUnchanged('admin', admin, { id: admin.id }))}
      >
        <p className="soft">
          They are signed out, and applications that use their API keys lose access. This can’t be undone.
        </p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
