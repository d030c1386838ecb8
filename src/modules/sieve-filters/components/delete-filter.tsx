'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import type { SieveFilter } from '../schema';

export function DeleteFilter({ filter }: { filter: SieveFilter }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.sieveFilters.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(filter);
      router.push('/sieve-filters');
      await utils.sieveFilters.list.invalidate();
    },
  });

  return (
    <SettingsSection title="Delete" hint="Mail that was already filtered stays where it is.">
      <FormColumn>
        <p className="soft">The filter stops running with the next message. To pause it, deactivate it instead.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Delete filter
          </Button>
        </div>
      </FormColumn>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${filter.name}`}
        action="Delete filter"
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate(ifUnchanged('sieve_filter', filter, { id: filter.id }))}
      >
        <p className="soft">It can be restored for 30 days under Recently deleted, with its script.</p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
