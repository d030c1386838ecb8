import { MultiSelect, Select, TagsInput } from '@mantine/core';
import { KIND_OPTIONS } from '../alert-values';
import { FROM_SEVERITY, type useAlertSettings } from './use-alert-settings';

type Field = ReturnType<ReturnType<typeof useAlertSettings>['fieldOf']>;
type AlertFiltersProps = { severity: Field; kinds: Field; offered?: typeof KIND_OPTIONS; domains: Field };

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
      <TagsInput
        label="Domains"
        className="mono-input"
        splitChars={[',', ' ']}
        acceptValueOnBlur
        placeholder={domains.value.length === 0 ? 'All domains' : undefined}
        {...domains}
      />
    </>
  );
}
