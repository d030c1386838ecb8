'use client';

import { MultiSelect, Select } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import type { Role } from '@/lib/roles';

export const ROLE_OPTIONS: { value: Role; label: string; may: string }[] = [
  { value: 'domain_admin', label: 'Domain admin', may: 'Mailboxes and aliases of the assigned domains, and sending' },
  { value: 'admin', label: 'Admin', may: 'All domains, and adding and changing them' },
  { value: 'super_admin', label: 'Super admin', may: 'Everything, other admins too' },
];

type RoleFieldsProps = {
  role: { value: Role; error?: unknown; onChange: (value: Role) => void };
  domainIds: object;
  isEmpty: boolean;
};

export function RoleFields({ role, domainIds, isEmpty }: RoleFieldsProps) {
  const domains = trpc.domains.list.useQuery({ limit: 200, sort: 'name', order: 'asc' }, { staleTime: 60_000 });
  return (
    <>
      <Select
        label="Role"
        description={ROLE_OPTIONS.find(({ value }) => value === role.value)?.may}
        data={ROLE_OPTIONS}
        allowDeselect={false}
        value={role.value}
        onChange={(value) => role.onChange(value as Role)}
      />
      {role.value === 'domain_admin' && (
        <MultiSelect
          label="Assigned domains"
          description="They reach these and no others"
          placeholder={isEmpty ? 'None yet' : undefined}
          className="mono-input pills"
          data={domains.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          searchable
          hidePickedOptions
          nothingFoundMessage="No domain of that name"
          {...domainIds}
        />
      )}
    </>
  );
}
