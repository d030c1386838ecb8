'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { SettingsSection } from '@/components/settings-section';
import type { Domain } from '../schema';

export function DeleteDomain({ domain }: { domain: Domain }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.domains.delete.useMutation({
    onSuccess: async () => {
      router.push('/domains');
      await Promise.all([utils.domains.list.invalidate(), utils.overview.invalidate()]);
    },
  });
  const dependents = domain.mailbox_count + domain.alias_count;

  return (
    <SettingsSection title="Delete" hint="Its webhooks go with it. Messages already sent stay in the list.">
      <div className="form-column">
        <p className="soft">
          {dependents > 0
            ? `It still has mailboxes or aliases (${dependents}). Delete them first; until then the domain cannot go.`
            : 'Nothing depends on it: it has no mailbox and no alias.'}
        </p>
        <div>
          <Button className="danger" onClick={dialog.open} disabled={dependents > 0}>
            Delete the domain
          </Button>
        </div>
      </div>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${domain.name}`}
        action="Delete the domain"
        typeToConfirm={domain.name}
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate({ id: domain.id })}
      >
        <p className="soft">Nothing can be sent from it any more and its mail is refused. This cannot be undone.</p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
