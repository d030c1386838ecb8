'use client';

import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { useNotifyDeleted } from '@/components/changes/use-notify-deleted';
import { DeleteSection } from '@/components/dialogs/delete-section';
import type { Template } from '../schema';

export function DeleteTemplate({ template }: { template: Template }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const deletion = trpc.templates.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted(template);
      router.push('/templates');
      await utils.templates.list.invalidate();
    },
  });
  return (
    <DeleteSection
      hint="Messages that are already scheduled are still sent."
      note="New sends that use this template fail."
      action="Delete template"
      name={template.name}
      consequence="It can be restored for 30 days under Recently deleted, with its versions."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('template', template, { id: template.id }))}
    />
  );
}
