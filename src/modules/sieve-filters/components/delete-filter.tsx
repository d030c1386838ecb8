'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { SettingsSection } from '@/components/settings-section';
import type { SieveFilter } from '../schema';

export function DeleteFilter({ filter }: { filter: SieveFilter }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.sieveFilters.delete.useMutation({
    onSuccess: async () => {
      router.push('/sieve-filters');
      await utils.sieveFilters.list.invalidate();
    },
  });

  return (
    <SettingsSection title="Delete" hint="Mail that it dealt with stays where it is.">
      <div className="form-column">
        <p className="soft">The next message goes past it. To stop it for a while, switch it off instead.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Delete the filter
          </Button>
        </div>
      </div>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${filter.name}`}
        action="Delete the filter"
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate({ id: filter.id })}
      >
        <p className="soft">Its script is gone with it; the audit log keeps what it was.</p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
