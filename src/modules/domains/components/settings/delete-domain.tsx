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
import type { Domain } from '../../schema';

export function DeleteDomain({ domain }: { domain: Domain }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.domains.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(domain);
      router.push('/domains');
      await Promise.all([utils.domains.list.invalidate(), utils.overview.invalidate()]);
    },
  });
  const dependents = domain.mailbox_count + domain.alias_count;

  return (
    <SettingsSection
      title="Delete"
      hint="Also deletes the domain’s webhooks, templates and suppressions. The message history is kept."
    >
      <FormColumn>
        <p className="soft">
          {dependents > 0
            ? `This domain still has mailboxes or aliases (${dependents}). Delete them first.`
            : 'This domain has no mailboxes or aliases, so it can be deleted.'}
        </p>
        <div>
          <Button className="danger" onClick={dialog.open} disabled={dependents > 0}>
            Delete domain
          </Button>
        </div>
      </FormColumn>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${domain.name}`}
        action="Delete domain"
        typeToConfirm={domain.name}
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate(ifUnchanged('domain', domain, { id: domain.id }))}
      >
        <p className="soft">
          You can no longer send from this domain, and mail to it is rejected. Its webhooks, templates and suppressions
          are deleted too. It can be restored for 30 days under Recently deleted.
        </p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
