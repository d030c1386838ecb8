'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { DeleteSection } from '@/components/dialogs/delete-section';
import type { Domain } from '../../schema';

export function DeleteDomain({ domain }: { domain: Domain }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const deletion = trpc.domains.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(domain);
      router.push('/domains');
      await Promise.all([utils.domains.list.invalidate(), utils.overview.invalidate()]);
    },
  });
  const dependents = domain.mailbox_count + domain.alias_count;

  return (
    <DeleteSection
      hint="Also deletes the domain’s webhooks, templates and suppressions. The message history is kept."
      note={
        dependents > 0
          ? `This domain still has mailboxes or aliases (${dependents}). Delete them first.`
          : 'This domain has no mailboxes or aliases, so it can be deleted.'
      }
      action="Delete domain"
      isDisabled={dependents > 0}
      name={domain.name}
      typeToConfirm={domain.name}
      consequence="You can no longer send from this domain, and mail to it is rejected. Its webhooks, templates and suppressions are deleted too. It can be restored for 30 days under Recently deleted."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('domain', domain, { id: domain.id }))}
    />
  );
}
