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
import type { Template } from '../schema';

export function DeleteTemplate({ template }: { template: Template }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.templates.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(template);
      router.push('/templates');
      await utils.templates.list.invalidate();
    },
  });
  return (
    <SettingsSection title="Delete" hint="Messages that are already scheduled are still sent.">
      <FormColumn>
        <p className="soft">New sends that use this template fail.</p>
        <div>
          <Button className="danger" onClick={dialog.open}>
            Delete template
          </Button>
        </div>
      </FormColumn>
      <ConfirmDialog
        opened={opened}
        title={`Delete ${template.name}`}
        action="Delete template"
        problem={remove.error ? toProblem(remove.error) : null}
        isBusy={remove.isPending}
        onClose={() => {
          remove.reset();
          dialog.close();
        }}
        onConfirm={() => remove.mutate(ifUnchanged('template', template, { id: template.id }))}
      >
        <p className="soft">It can be restored for 30 days under Recently deleted, with its versions.</p>
      </ConfirmDialog>
    </SettingsSection>
  );
}
