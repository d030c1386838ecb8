'use client';

import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SaveBar } from '@/components/save-bar';
import { SettingsSection } from '@/components/settings-section';
import type { Webhook } from '../../schema';
import { EventChoiceInput } from '../event-choice';
import { choiceFault, choiceOf, eventsOf, hostOf } from '../webhook-values';
import { DeleteWebhook } from './delete-webhook';
import { RotateSecret } from './rotate-secret';

const FIELDS = { url: 'url', events: 'events', name: 'name' };

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: initialValues(webhook),
    validate: {
      url: (value) => (value.trim() === '' ? 'Enter the address that events are posted to.' : null),
      events: choiceFault,
    },
  });
  const update = trpc.webhooks.update.useMutation({
    onSuccess: async (saved) => {
      utils.webhooks.get.setData({ id: webhook.id }, saved);
      form.setInitialValues(initialValues(saved));
      form.setValues(initialValues(saved));
      await utils.webhooks.list.invalidate();
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, FIELDS)),
  });

  return (
    <>
      <form
        noValidate
        onSubmit={form.onSubmit(({ url, events, name }) => {
          setProblem(null);
          // Only what was changed, so that nobody else's change is undone.
          update.mutate({
            id: webhook.id,
            ...(form.isDirty('url') && { url: url.trim() }),
            ...(form.isDirty('events') && { events: eventsOf(events) }),
            ...(form.isDirty('name') && { name: name.trim() }),
          });
        })}
      >
        <SettingsSection
          title="Webhook"
          hint="Deliveries still to be made go to the address as it is then. Whose mail it tells of stays as it was made."
        >
          <div className="form-column">
            <TextInput
              label="Address"
              className="mono-input"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={2048}
              {...form.getInputProps('url')}
            />
            <TextInput
              label="Name, if it needs one"
              maxLength={100}
              autoComplete="off"
              {...form.getInputProps('name')}
            />
            <EventChoiceInput
              value={form.values.events}
              error={form.errors.events}
              onChange={(events) => form.setFieldValue('events', events)}
            />
            <ProblemAlert problem={problem} />
            <SaveBar
              isDirty={form.isDirty()}
              isSaving={update.isPending}
              isSaved={update.isSuccess}
              onDiscard={form.reset}
              isSecondary
            />
          </div>
        </SettingsSection>
        <UnsavedGuard
          isDirty={form.isDirty()}
          what={`The settings of ${hostOf(webhook.url)} are changed and not saved.`}
        />
      </form>
      <RotateSecret webhook={webhook} />
      <DeleteWebhook webhook={webhook} />
    </>
  );
}

function initialValues({ url, name, events }: Webhook) {
  return { url, name, events: choiceOf(events) };
}
