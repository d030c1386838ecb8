'use client';

import { MultiSelect, Select } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import type { Role } from '@/lib/roles';

export const ROLE_OPTIONS: { value: Role; label: string; access: string }[] = [
  {
    value: 'domain_admin',
    label: 'Domain admin',
    access: 'Manage mailboxes and aliases of assigned domains, and send mail',
  },
  { value: 'admin', label: 'Admin', access: 'Manage all domains, including adding them' },
  { value: 'super_admin', label: 'Super admin', access: 'Full access, including managing admins' },
];

const DOMAINS = { limit: 200, sort: 'name', order: 'asc' } as const;

type RoleFieldsProps = {
  role: { value: Role; error?: unknown; onChange: (value: Role) => void };
  domainIds: object;
  isEmpty: boolean;
};

export function RoleFields({ role, domainIds, isEmpty }: RoleFieldsProps) {
  const domains = trpc.domains.list.useQuery(DOMAINS, { staleTime: 60_000 });
  return (
    <>
      <Select
        label="Role"
        description={ROLE_OPTIONS.find(({ value }) => value === role.value)?.access}
        data={ROLE_OPTIONS}
        allowDeselect={false}
        value={role.value}
        onChange={(value) => role.onChange(value as Role)}
      />
      {role.value === 'domain_admin' && (
        <MultiSelect
          label="Assigned domains"
          description="Access is limited to these domains"
          placeholder={isEmpty ? 'None yet' : undefined}
          className="mono-input"
          data={domains.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          searchable
          hidePickedOptions
          nothingFoundMessage="No matching domains"
          {...domainIds}
        />
      )}
    </>
  );
}

/** One line for each domain. */
export function DomainNames({ ids }: { ids: string[] }) {
  const domains = trpc.domains.list.useQuery(DOMAINS, { staleTime: 60_000 });
  const nameOf = (id: string) => domains.data?.items.find((domain) => domain.id === id)?.name ?? id;
  return ids.length === 0 ? 'None' : ids.map(nameOf).join('\n');
}

export function roleText(role: Role): string {
  return ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
}
