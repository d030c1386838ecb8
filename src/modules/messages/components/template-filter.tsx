import { Select } from '@mantine/core';
import { trpc } from '@/components/api/trpc';

const MAX_TEMPLATES = 200;
const DELETED = 'Deleted template';

/** The name of a template that messages were made from. */
export function TemplateName({ id }: { id: string }) {
  const { data, isError } = trpc.templates.get.useQuery({ id }, { retry: false });
  return data?.name ?? (isError ? DELETED : '…');
}

type TemplateSelectProps = { value: string | null; onChange: (id: string | null) => void };

/** One of the newest templates. Other templates are chosen on their pages. */
export function TemplateSelect({ value, onChange }: TemplateSelectProps) {
  const { data } = trpc.templates.list.useQuery({ limit: MAX_TEMPLATES });
  const options = (data?.items ?? []).map(({ id, name, domain }) => ({ value: id, label: `${name} (${domain})` }));
  const isListed = value === null || !data || options.some((option) => option.value === value);
  return (
    <Select
      label="Template"
      placeholder="Any"
      clearable
      searchable
      data={isListed ? options : [...options, { value, label: DELETED }]}
      value={value}
      onChange={onChange}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
