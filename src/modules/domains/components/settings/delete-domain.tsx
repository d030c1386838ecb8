'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { DeleteSection } from '@/components/dialogs/delete-section';
import { NearLink } from '@/components/near-link';
import { useNotifyDeleted } from '@/components/use-notify-deleted';
import { formatPlural } from '@/lib/format';
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
        dependents > 0 ? (
          <Dependents domain={domain} />
        ) : (
          'This domain has no mailboxes or aliases, so it can be deleted.'
        )
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

/** The mailboxes and aliases that have to be deleted before the domain, with links to their lists. */
function Dependents({ domain: { id, mailbox_count: mailboxes, alias_count: aliases } }: { domain: Domain }) {
  const query = new URLSearchParams({ domain: id });
  return (
    <>
      This domain still has{' '}
      {mailboxes > 0 && (
        <NearLink href={`/mailboxes?${query}`}>{formatPlural(mailboxes, 'mailbox', 'mailboxes')}</NearLink>
      )}
      {mailboxes > 0 && aliases > 0 && ' and '}
      {aliases > 0 && <NearLink href={`/aliases?${query}`}>{formatPlural(aliases, 'alias', 'aliases')}</NearLink>}.
      Delete them first.
    </>
  );
}
