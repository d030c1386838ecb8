'use client';

import { TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { FieldPair } from '@/components/layout/form-layout';
import { type DomainChoice, DomainPicker } from '@/components/pickers/domain-picker';
import type { EventType } from '@/lib/event-types';
import { type CreatedWebhook, CreateWebhook } from '../../schema';
import { EventsInput, type EventTypes } from '../events-input';

type NewWebhookDialogProps = {
  opened: boolean;
  presetDomain: DomainChoice | undefined;
  /** The only event selected at first. Without it, the outcomes of messages are. */
  presetEvent: EventType | null;
  onClose: () => void;
  onCreated: (created: CreatedWebhook) => void;
};

/** The events that an application that sends needs. The others are many, or large, or about something else. */
const OUTCOMES: EventTypes = [
  'mail.delivered',
  'mail.bounced',
  'mail.failed',
  'mail.suppressed',
  'mail.complained',
  'mail.unsubscribed',
];

export function NewWebhookDialog(props: NewWebhookDialogProps) {
  const { opened, presetDomain, presetEvent, onClose, onCreated } = props;
  const utils = trpc.useUtils();
  const create = trpc.webhooks.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateWebhook,
    initialValues: {
      ...{ url: '', name: '', events: presetEvent ? [presetEvent] : OUTCOMES },
      domain_id: presetDomain?.id ?? (null as string | null),
    },
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
      isInUrl
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
        <DomainPicker allLabel="All domains" known={presetDomain} {...form.getInputProps('domain_id')} />
        <TextInput label="Name (optional)" maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
