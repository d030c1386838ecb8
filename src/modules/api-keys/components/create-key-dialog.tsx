'use client';

import { Checkbox, Group, NumberInput, Select, TagsInput, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { pasteWholeNumber } from '@/components/forms/paste-whole-number';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { FieldPair } from '@/components/layout/form-layout';
import { DomainsPicker } from '@/components/pickers/domains-picker';
import { KEY_PERMISSIONS, type KeyPermission } from '@/lib/access/key-permissions';
import { type ApiKey, CreateApiKey, type CreatedApiKey } from '../schema';
import { PERMISSION_LABELS } from './api-key-columns';

const EXPIRIES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '0', label: 'Never' },
];

type CreateKeyDialogProps = {
  opened: boolean;
  /** The key whose access the new one gets, so that it can be revoked. */
  replaced: ApiKey | null;
  onClose: () => void;
  onCreated: (created: CreatedApiKey) => void;
};

export function CreateKeyDialog({ opened, replaced, onClose, onCreated }: CreateKeyDialogProps) {
  const utils = trpc.useUtils();
  const create = trpc.apiKeys.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateApiKey,
    initialValues: {
      name: replaced?.name ?? '',
      scoped_domain_ids: replaced?.scoped_domain_ids ?? [],
      permissions: replaced?.permissions ?? ([...KEY_PERMISSIONS] as KeyPermission[]),
      allowed_ips: replaced?.allowed_ips ?? [],
      senders: replaced?.senders ?? [],
      rate_limit: replaced?.rate_limit ?? 60,
      expires_in_days: replaced && replaced.expires_at === null ? 0 : 90,
    },
    toInput: (values) => trimmed(values, ['name']),
    submit: (input) => create.mutateAsync(input),
    onSaved: (created) => {
      onCreated(created);
      void utils.apiKeys.list.invalidate();
      void utils.overview.invalidate();
    },
  });

  return (
    <Dialog
      opened={opened}
      isInUrl={replaced === null}
      title={replaced ? `Replace ${replaced.name}` : 'New API key'}
      action="Create key"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <TextInput
        label="Name"
        description={
          replaced
            ? 'Revoke the old key once the application uses the new one'
            : 'The application that will use the key. A key can’t be changed later, only replaced or revoked'
        }
        maxLength={100}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <DomainsPicker
        label="Domains"
        description="Leave empty for all domains you have access to, including ones added later"
        placeholder="All domains"
        {...form.getInputProps('scoped_domain_ids')}
      />
      <Checkbox.Group label="The key may" {...form.getInputProps('permissions')}>
        <Group gap="md" mt="xs">
          {KEY_PERMISSIONS.map((permission) => (
            <Checkbox key={permission} value={permission} label={PERMISSION_LABELS[permission]} />
          ))}
        </Group>
      </Checkbox.Group>
      <TagsInput
        label="Senders"
        description="Addresses, or @example.com for all of a domain. Leave empty for all"
        className="mono-input"
        splitChars={[',', ' ']}
        acceptValueOnBlur
        {...form.getInputProps('senders')}
      />
      <TagsInput
        label="Client addresses"
        description="From where the key can be used, such as 203.0.113.7 or 2001:db8::/32. Leave empty for everywhere"
        className="mono-input"
        splitChars={[',', ' ']}
        acceptValueOnBlur
        {...form.getInputProps('allowed_ips')}
      />
      <FieldPair>
        <NumberInput
          label="Requests per minute"
          description="0 is unlimited"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          onPasteCapture={pasteWholeNumber}
          {...form.getInputProps('rate_limit')}
        />
        <Select
          label="Expires"
          data={EXPIRIES}
          allowDeselect={false}
          {...form.getInputProps('expires_in_days')}
          value={String(form.values.expires_in_days)}
          onChange={(days) => form.setFieldValue('expires_in_days', Number(days))}
        />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
