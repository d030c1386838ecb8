import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import type { Choice } from '@/components/pickers/choices';
import { Picker } from '@/components/pickers/picker';
import { useTemplateChoices } from '@/components/pickers/use-choices';
import { usePickerSearch } from '@/components/pickers/use-picker-search';

/** The name of a template that messages were made from, or why it isn’t known. */
function useTemplateName(id: string | null): string {
  const { data, error } = trpc.templates.get.useQuery({ id: id ?? '' }, { enabled: id !== null, retry: false });
  if (data) return data.name;
  if (!error) return '…';
  return toProblem(error).code === 'NOT_FOUND' ? 'Deleted template' : 'Name couldn’t be loaded';
}

export function TemplateName({ id }: { id: string }) {
  return useTemplateName(id);
}

type TemplatePickerProps = { value: string | null; onChange: (id: string | null) => void };

/** One of the templates of all domains that the admin has access to. */
export function TemplatePicker({ value, onChange }: TemplatePickerProps) {
  const search = usePickerSearch();
  const found = useTemplateChoices(search);
  const [picked, setPicked] = useState<Choice | null>(null);
  const known = picked?.value === value ? picked?.label : undefined;
  const name = useTemplateName(known === undefined ? value : null);
  return (
    <Picker
      label="Template"
      placeholder="Any"
      clearLabel="Any template"
      isInPopover
      search={search}
      found={found}
      chosen={value ? { value, label: known ?? name } : null}
      onChoose={(choice) => {
        setPicked(choice);
        onChange(choice?.value ?? null);
      }}
    />
  );
}
