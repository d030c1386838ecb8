'use client';

import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { FieldPair } from '@/components/layout/form-layout';
import type { CreatedWebhook } from '../../schema';
import { EventChoiceInput } from '../event-choice';
import { choiceError, type EventChoice, eventsOf } from '../webhook-values';

const ALL_DOMAINS = 'all';
const FIELDS = { url: 'url', events: 'events', domain_id: 'domainId', name: 'name' };

type NewWebhookDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  preset: string | null;
  onClose: () => void;
  onCreated: (created: CreatedWebhook) => void;
};

export function NewWebhookDialog({ opened, domains, preset, onClose, onCreated }: NewWebhookDialogProps) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: {
      url: '',
      events: { isAll: true, selected: [] } as EventChoice,
      domainId: '',
      name: '',
    },
    validate: {
      url: (value) => (value.trim() === '' ? 'Enter the endpoint URL.' : null),
      events: choiceError,
    },
  });
  const create = trpc.webhooks.create.useMutation({
    onSuccess: (created) => {
      form.reset();
      onCreated(created);
      void utils.webhooks.list.invalidate();
    },
    onError: (error) => {
      const found = toProblem(error);
      if (found.code === 'DOMAIN_INACTIVE' || found.code === 'DOMAIN_NOT_FOUND') {
        form.setErrors({ domainId: found.message });
        return;
      }
      setProblem(applyFieldErrors(found, form, FIELDS));
    },
  });
  const domainId = form.values.domainId || preset || ALL_DOMAINS;

  const close = () => {
    form.reset();
    setProblem(null);
    onClose();
  };

  return (
    <Dialog
      opened={opened}
      title="New webhook"
      action="Create webhook"
      isBusy={create.isPending}
      onClose={close}
      onSubmit={form.onSubmit(({ url, events, name }) => {
        setProblem(null);
        create.mutate({
          url: url.trim(),
          events: eventsOf(events),
          domain_id: domainId === ALL_DOMAINS ? null : domainId,
          name: name.trim(),
        });
      })}
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
      <EventChoiceInput
        value={form.values.events}
        error={form.errors.events}
        onChange={(events) => form.setFieldValue('events', events)}
      />
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
          {...form.getInputProps('domainId')}
          value={domainId}
        />
        <TextInput label="Name (optional)" maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}
