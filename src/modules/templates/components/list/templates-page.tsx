'use client';

import { Button, Group } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { parseAsBoolean } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { EmptyState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { templateList } from '../../lists';
import { TEMPLATE_COLUMNS } from './template-columns';

const NewTemplateDialog = lazyDialog(() => import('./new-template-dialog').then((module) => module.NewTemplateDialog));

const CHOICES = {
  all: { label: 'All', input: {} },
  published: { label: 'Published', input: { published: true } },
  drafts: { label: 'Not published', input: { published: false } },
} as const;

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES) },
  view: { new: parseAsBoolean.withDefault(false) },
};

export function TemplatesPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, open } = search;
  const router = useRouter();
  const utils = trpc.useUtils();
  const { selectedId, selectedDomain, defaultDomain } = useDomainScope();
  const input = {
    q: settled.q || undefined,
    domain_id: selectedId ?? undefined,
    ...CHOICES[values.show].input,
  };
  const list = useList(templateList, trpc.templates.list, { search, input });
  const openNew = () => open({ new: true });

  return (
    <Page>
      <PageHeader
        title="Templates"
        description={selectedDomain ? `Of ${selectedDomain.name}` : 'Subjects and texts of messages, with variables'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New template
        </Button>
      </PageHeader>
      <ListTools list={list}>
        <SearchInput search={search} label="Filter by name" placeholder="Name" w={240} />
        <ShowFilter search={search} choices={CHOICES} />
      </ListTools>
      <ListView
        list={list}
        empty={<NoTemplates domainName={selectedDomain?.name} onNew={openNew} />}
        noMatches="No template matches these filters."
        caption="Templates, newest first"
        columns={TEMPLATE_COLUMNS}
        rowHref={({ id }) => `/templates/${id}`}
      />
      <NewTemplateDialog
        opened={values.new}
        defaultDomain={defaultDomain}
        onClose={() => open({ new: null })}
        onCreated={async (template) => {
          utils.templates.get.setData({ id: template.id }, template);
          router.push(`/templates/${template.id}`);
          await utils.templates.list.invalidate();
        }}
      />
    </Page>
  );
}

type NoTemplatesProps = { domainName: string | undefined; onNew: () => void };

function NoTemplates({ domainName, onNew }: NoTemplatesProps) {
  return (
    <EmptyState title={domainName ? `No templates for ${domainName} yet` : 'No templates yet'}>
      <p>
        A template has the subject and the text of messages. A send names the template and the values of its variables,
        so texts can change without a change of your program.
      </p>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New template
        </Button>
      </Group>
    </EmptyState>
  );
}
