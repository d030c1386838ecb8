'use client';

import { trpc } from '@/components/api/trpc';
import { notify } from '@/components/notifications';
import type { Template } from '../schema';

/** Publishes the draft, or a version. */
export function usePublish({ id }: Pick<Template, 'id'>) {
  const utils = trpc.useUtils();
  return trpc.templates.publish.useMutation({
    onSuccess: async (template) => {
      utils.templates.get.setData({ id }, template);
      notify({ text: `Published version ${template.published_version}` });
      await Promise.all([utils.templates.list.invalidate(), utils.templates.versions.invalidate({ id })]);
    },
  });
}
