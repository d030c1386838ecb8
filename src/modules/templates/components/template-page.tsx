'use client';

import { Button } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { DeleteSection } from '@/components/dialogs/delete-section';
import { IconMail } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { PageTabs } from '@/components/page-tabs';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useNotifyDeleted } from '@/components/use-notify-deleted';
import type { Template } from '../schema';
import { EditTemplate } from './editor/edit-template';
import { Versions } from './versions/versions';

const PARENT = { label: 'Templates', href: '/templates' };
const TAB = parseAsStringLiteral(['draft', 'versions', 'history'])
  .withDefault('draft')
  .withOptions({ history: 'push' });

type TemplatePageProps = {
  id: string;
  /** Who changed it, of another module. */
  history: ReactNode;
};

export function TemplatePage({ id, history }: TemplatePageProps) {
  const [tab, setTab] = useQueryState('tab', TAB);
  const found = trpc.templates.get.useQuery({ id });
  const template = found.data;
  const draft = () => (
    <>
      {template && (
        <>
          <EditTemplate key={template.id} template={template} />
          <DeleteTemplate template={template} />
        </>
      )}
      {found.isError && !template && (
        <ErrorState what="this template" error={found.error} onRetry={() => void found.refetch()} />
      )}
      {!template && !found.isError && <SettingsSkeleton heights={[80, 560]} />}
    </>
  );
  return (
    <Page>
      <PageHeader
        hasTabs
        mono
        title={template?.name ?? (found.isError ? 'Template' : undefined)}
        description={template ? <span className="clip mono">{template.domain}</span> : ' '}
        parent={PARENT}
      >
        <Button component={NearLink} href={`/messages?template=${id}`} leftSection={<IconMail stroke={1.5} />}>
          Messages sent with it
        </Button>
      </PageHeader>
      <PageTabs
        label="Template"
        isWaiting={!template && !found.isError}
        current={tab}
        onChange={(next) => void setTab(next)}
        tabs={{
          draft: { title: 'Draft', content: draft },
          versions: { title: 'Versions', content: () => template && <Versions template={template} /> },
          history: { title: 'History', content: () => history },
        }}
      />
    </Page>
  );
}

function DeleteTemplate({ template }: { template: Template }) {
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
      hint="New sends that use this template fail."
      note="Messages that are already scheduled are still sent."
      action="Delete template"
      name={template.name}
      consequence="It can be restored for 30 days under Recently deleted, with its versions."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('template', template, { id: template.id }))}
    />
  );
}
