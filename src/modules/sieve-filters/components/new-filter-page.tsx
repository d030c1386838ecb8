'use client';

import { Button } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { FormFooter } from '@/components/layout/form-layout';
import { PageHeader } from '@/components/page-header';
import { DomainPicker, type DomainPickerProps } from '@/components/pickers/domain-picker';
import { MailboxPicker } from '@/components/pickers/mailbox-picker';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { CreateSieveFilter, type SieveScope } from '../schema';
import { FilterForm } from './filter-form';
import { SCOPE_LABELS } from './filter-values';
import { FilterSkeleton } from './mail-server-alert';
import classes from './scope-fields.module.css';

const EMPTY = {
  scope: 'mailbox' as SieveScope,
  domain_id: '',
  mailbox_id: '',
  name: '',
  script: '',
  active: true,
};

const OTHERS: Record<SieveScope, string> = {
  global: 'for all mail',
  domain: 'of this domain',
  mailbox: 'of this mailbox',
};

export function NewFilterPage() {
  const router = useRouter();
  const utils = trpc.useUtils();
  const { defaultDomain } = useDomainScope();
  const canUseGlobal = useHasRole('admin');
  const create = trpc.sieveFilters.create.useMutation();
  const filter = useApiForm({
    schema: CreateSieveFilter,
    initialValues: EMPTY,
    toInput: ({ domain_id, mailbox_id, ...values }) => ({
      ...trimmed(values, ['name']),
      ...(values.scope === 'domain' && { domain_id: domain_id || (defaultDomain?.id ?? '') }),
      ...(values.scope === 'mailbox' && { mailbox_id }),
    }),
    submit: (input) => create.mutateAsync(input),
    onSaved: async (saved) => {
      utils.sieveFilters.get.setData({ id: saved.id }, saved);
      router.push(`/sieve-filters/${saved.id}`);
      await utils.sieveFilters.list.invalidate();
    },
  });
  const { form } = filter;
  const { scope } = form.values;

  return (
    <Page>
      <PageHeader
        title="New filter"
        description="Takes effect with the next message"
        parent={{ label: 'Filters', href: '/sieve-filters' }}
      />
      {canUseGlobal === undefined ? (
        <FilterSkeleton />
      ) : (
        <FilterForm
          filter={filter}
          scope={scope}
          hint="Filters for all mail run first, then the domain’s, then the mailbox’s."
          scopeFields={
            <ScopeFields
              scope={scope}
              canUseGlobal={canUseGlobal === true}
              domain={{
                ...form.getInputProps('domain_id'),
                value: form.values.domain_id || defaultDomain?.id,
                known: defaultDomain,
              }}
              mailbox={{ ...form.getInputProps('mailbox_id'), value: form.values.mailbox_id }}
              onScopeChange={(next: SieveScope) => form.setFieldValue('scope', next)}
            />
          }
          footer={
            <FormFooter>
              <Button variant="filled" type="submit" loading={filter.isBusy}>
                Create filter
              </Button>
              <span className="quiet">
                The script is checked first. The filter runs after the other filters {OTHERS[scope]}.
              </span>
            </FormFooter>
          }
        />
      )}
      <UnsavedGuard isDirty={form.isDirty() && !create.isSuccess} what="The new filter isn’t saved." />
    </Page>
  );
}

type ScopeFieldsProps = {
  scope: SieveScope;
  canUseGlobal: boolean;
  domain: DomainPickerProps;
  mailbox: object;
  onScopeChange: (scope: SieveScope) => void;
};

function ScopeFields({ scope, canUseGlobal, domain, mailbox, onScopeChange }: ScopeFieldsProps) {
  const { global, ...ownScopes } = SCOPE_LABELS;
  return (
    <>
      <div className={classes.scope}>
        <span aria-hidden="true">Applies to</span>
        <SegmentedControl
          label="Applies to"
          value={scope}
          options={(canUseGlobal ? SCOPE_LABELS : ownScopes) as Record<SieveScope, string>}
          onChange={onScopeChange}
        />
      </div>
      {scope === 'domain' && <DomainPicker placeholder="Choose a domain" {...domain} />}
      {scope === 'mailbox' && <MailboxPicker {...mailbox} />}
    </>
  );
}
