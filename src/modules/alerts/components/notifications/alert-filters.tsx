import { MultiSelect, Select, TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { KIND_OPTIONS } from '../alert-values';
import { FROM_SEVERITY, type useAlertSettings } from './use-alert-settings';

type Field = ReturnType<ReturnType<typeof useAlertSettings>['fieldOf']>;
type AlertFiltersProps = { severity: Field; kinds: Field; offered?: typeof KIND_OPTIONS; domains: Field };

const DEBOUNCE_MS = 200;
const MAX_SUGGESTED = 8;

/** Which alerts a channel notifies about. Without any kinds or domains, it does about all of them. */
export function AlertFilters({ severity, kinds, offered = KIND_OPTIONS, domains }: AlertFiltersProps) {
  return (
    <>
      <Select label="Severity" data={FROM_SEVERITY} allowDeselect={false} {...severity} />
      <MultiSelect
        label="Kinds"
        data={offered}
        placeholder={kinds.value.length === 0 ? 'All kinds' : undefined}
        {...kinds}
      />
      <DomainsInput {...domains} />
    </>
  );
}

function DomainsInput(props: Field) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), DEBOUNCE_MS);
  const found = trpc.domains.list.useQuery(
    { q, limit: MAX_SUGGESTED, sort: 'name', order: 'asc' },
    { enabled: q !== '' },
  );
  return (
    <TagsInput
      label="Domains"
      className="mono-input"
      splitChars={[',', ' ']}
      acceptValueOnBlur
      placeholder={props.value.length === 0 ? 'All domains' : undefined}
      data={(q !== '' && found.data?.items.map(({ name }) => name)) || []}
      searchValue={typed}
      onSearchChange={setTyped}
      {...props}
    />
  );
}
