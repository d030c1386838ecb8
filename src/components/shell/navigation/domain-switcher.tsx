'use client';

import { Button, Combobox } from '@mantine/core';
import { parseAsString, useQueryStates } from 'nuqs';
import { trpc } from '../../api/trpc';
import { IconChevronDown } from '../../icons/icons';
import { domainIn } from '../../pickers/domain-picker';
import { PickerDropdown, PickerStatus, submitOption } from '../../pickers/picker-dropdown';
import { useDomainChoices } from '../../pickers/use-choices';
import { usePickerSearch } from '../../pickers/use-picker-search';
import classes from './bar-button.module.css';

const STATE = { domain: parseAsString, cursor: parseAsString, peek: parseAsString };
const ALL = { value: 'all', label: 'All domains' };

export function DomainSwitcher({ fullWidth }: { fullWidth?: boolean }) {
  const [{ domain }, setState] = useQueryStates(STATE, { history: 'push' });
  const search = usePickerSearch({ clean: domainIn, hasOwnField: true });
  const { combobox, isOpened } = search;
  const found = useDomainChoices(search);
  const current = trpc.domains.get.useQuery({ id: domain ?? '' }, { enabled: domain !== null });
  const label = domain === null ? ALL.label : (current.data?.name ?? (current.isError ? 'Unknown domain' : 'Domain'));

  const choose = (id: string | null) => {
    void setState({ domain: id, cursor: null, peek: null });
    combobox.closeDropdown();
  };

  return (
    <Combobox
      store={combobox}
      width={280}
      position="bottom-start"
      onOptionSubmit={(value) => submitOption(found, value, (choice) => choose(choice?.value ?? null))}
    >
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
      <PickerDropdown
        combobox={combobox}
        label="Domains"
        found={found}
        first={search.q === '' ? ALL : undefined}
        isChosen={(value) => value === (domain ?? ALL.value)}
      >
        <Combobox.Search
          aria-label="Find a domain"
          placeholder="Find a domain"
          value={search.typed ?? ''}
          onChange={(event) => search.type(event.currentTarget.value)}
        />
      </PickerDropdown>
      <PickerStatus isOpened={isOpened} found={found} />
    </Combobox>
  );
}
