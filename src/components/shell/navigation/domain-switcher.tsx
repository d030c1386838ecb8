'use client';

import { Button, Combobox, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { parseAsString, useQueryStates } from 'nuqs';
import { useState } from 'react';
import { trpc } from '../../api/trpc';
import { IconChevronDown } from '../../icons/icons';
import classes from './bar-button.module.css';

const ALL = 'all';

export function DomainSwitcher({ fullWidth }: { fullWidth?: boolean }) {
  const [{ domain }, setState] = useQueryStates({ domain: parseAsString, cursor: parseAsString, peek: parseAsString });
  const [search, setSearch] = useState('');
  const [q] = useDebouncedValue(search.trim(), 150);
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setSearch('');
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const current = trpc.domains.get.useQuery({ id: domain ?? '' }, { enabled: domain !== null });
  const found = trpc.domains.list.useQuery(
    { limit: 20, q: q || undefined, sort: 'name', order: 'asc' },
    { enabled: combobox.dropdownOpened },
  );
  const label =
    domain === null ? 'All domains' : (current.data?.name ?? (current.isError ? 'Unknown domain' : 'Domain'));

  const choose = (value: string) => {
    void setState({ domain: value === ALL ? null : value, cursor: null, peek: null });
    combobox.closeDropdown();
  };

  return (
    <Combobox store={combobox} width={280} position="bottom-start" onOptionSubmit={choose}>
      <Combobox.Target targetType="button">
        <Button
          variant={fullWidth ? 'default' : 'subtle'}
          color="gray"
          className={fullWidth ? undefined : `${classes.button} ${classes.domain}`}
          fullWidth={fullWidth}
          rightSection={<IconChevronDown stroke={1.5} />}
          aria-label={`Domain: ${label}. Change`}
          onClick={() => combobox.toggleDropdown()}
        >
          <span className="clip">{label}</span>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          aria-label="Find a domain"
          placeholder="Find a domain"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Combobox.Options aria-label="Domains" mah={280}>
          {q === '' && (
            <Combobox.Option value={ALL} active={domain === null}>
              All domains
            </Combobox.Option>
          )}
          {found.data?.items.map(({ id, name }) => (
            <Combobox.Option key={id} value={id} active={domain === id}>
              <span className="mono">{name}</span>
            </Combobox.Option>
          ))}
          {found.data?.items.length === 0 && <Combobox.Empty>No matching domains</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
