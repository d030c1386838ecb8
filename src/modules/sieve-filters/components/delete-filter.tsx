'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { DeleteSection } from '@/components/dialogs/delete-section';
import type { SieveFilter } from '../schema';

export function DeleteFilter({ filter }: { filter: SieveFilter }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const deletion = trpc.sieveFilters.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(filter);
      router.push('/sieve-filters');
      await utils.sieveFilters.list.invalidate();
    },
  });

  return (
    <DeleteSection
      hint="Mail that was already filtered stays where it is."
      note="The filter stops running with the next message. To pause it, deactivate it instead."
      action="Delete filter"
      name={filter.name}
      consequence="It can be restored for 30 days under Recently deleted, with its script."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('sieve_filter', filter, { id: filter.id }))}
    />
  );
}
