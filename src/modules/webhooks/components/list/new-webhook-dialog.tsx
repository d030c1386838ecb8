'use client';

import { Select, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { FieldPair } from '@/components/layout/form-layout';
import { ALL_EVENTS, type EventType } from '@/lib/event-types';
import { type CreatedWebhook, CreateWebhook } from '../../schema';
import { EventsInput, type EventTypes } from '../events-input';

const ALL_DOMAINS = 'all';

type NewWebhookDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  presetDomainId: string | null;
  /** The only event selected at first. Without it, all are. */
  presetEvent: EventType | null;
  onClose: () => void;
  onCreated: (created: CreatedWebhook) => void;
};

export function NewWebhookDialog(props: NewWebhookDialogProps) {
  const { opened, domains, presetDomainId, presetEvent, onClose, onCreated } = props;
  const utils = trpc.useUtils();
  const create = trpc.webhooks.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateWebhook,
    initialValues: { url: '', events: [presetEvent ?? ALL_EVENTS] as EventTypes, domain_id: presetDomainId, name: '' },
    toInput: (values) => trimmed(values, ['url', 'name']),
    submit: (input) => create.mutateAsync(input),
    onSaved: (created) => {
      onCreated(created);
      void utils.webhooks.list.invalidate();
    },
  });

  return (
    <Dialog
      opened={opened}
      title="New webhook"
      action="Create webhook"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <TextInput
        label="Endpoint URL"
        className="mono-input"
        placeholder="https://hooks.example.com/postroom"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={2048}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <EventsInput {...form.getInputProps('events')} value={form.values.events} />
      <FieldPair>
        <Select
          label="Domain"
          data={[
            { value: ALL_DOMAINS, label: 'All domains' },
            ...domains.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          searchable={domains.length > 8}
          allowDeselect={false}
          nothingFoundMessage="No matching domains"
          {...form.getInputProps('domain_id')}
          value={form.values.domain_id ?? ALL_DOMAINS}
          onChange={(id) => form.setFieldValue('domain_id', id === ALL_DOMAINS ? null : id)}
        />
        <TextInput label="Name (optional)" maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
