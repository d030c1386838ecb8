'use client';

import { Select } from '@mantine/core';
import { DomainsPicker } from '@/components/pickers/domains-picker';
import { useDomainNames } from '@/components/pickers/use-domain-names';
import type { Role } from '@/lib/access/roles';

export const ROLE_OPTIONS: { value: Role; label: string; access: string }[] = [
  {
    value: 'domain_admin',
    label: 'Domain admin',
    access: 'Manage mailboxes, aliases, filters and suppressions of assigned domains, and send mail',
  },
  { value: 'admin', label: 'Admin', access: 'Manage all domains, including adding them' },
  { value: 'super_admin', label: 'Super admin', access: 'Full access, including managing admins' },
];

/** The names that the dialog of a conflict shows. */
const MAX_NAMES = 40;

type RoleFieldsProps = {
  role: { value: Role; error?: unknown; onChange: (value: Role) => void };
  domainIds: object;
};

export function RoleFields({ role, domainIds }: RoleFieldsProps) {
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
        <DomainsPicker
          label="Assigned domains"
          description="Access is limited to these domains"
          placeholder="None yet"
          {...domainIds}
        />
      )}
    </>
  );
}

/** One line for each domain. */
export function DomainNames({ ids }: { ids: string[] }) {
  const shown = ids.slice(0, MAX_NAMES);
  const names = useDomainNames(shown);
  const others = ids.length > MAX_NAMES ? [`${ids.length - MAX_NAMES} more`] : [];
  return ids.length === 0 ? 'None' : [...shown.map((id) => names.get(id) ?? id), ...others].join('\n');
}

export function roleText(role: Role): string {
  return ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
}
