'use client';

import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { FormColumn } from '@/components/layout/form-layout';
import { SaveBar } from '@/components/save-bar';
import { SettingsSection } from '@/components/settings-section';
import type { Webhook } from '../../schema';
import { EventChoiceInput } from '../event-choice';
import { choiceError, choiceOf, eventsOf, hostOf } from '../webhook-values';
import { DeleteWebhook } from './delete-webhook';
import { RotateSecret } from './rotate-secret';

const FIELDS = { url: 'url', events: 'events', name: 'name' };

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: initialValues(webhook),
    validate: {
      url: (value) => (value.trim() === '' ? 'Enter the endpoint URL.' : null),
      events: choiceError,
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
          // Only changed fields, so that concurrent changes aren't overwritten.
          update.mutate({
            id: webhook.id,
            ...(form.isDirty('url') && { url: url.trim() }),
            ...(form.isDirty('events') && { events: eventsOf(events) }),
            ...(form.isDirty('name') && { name: name.trim() }),
          });
        })}
      >
        <SettingsSection title="Webhook" hint="Pending deliveries use the new URL. The domain can’t be changed later.">
          <FormColumn>
            <TextInput
              label="Endpoint URL"
              className="mono-input"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={2048}
              {...form.getInputProps('url')}
            />
            <TextInput label="Name (optional)" maxLength={100} autoComplete="off" {...form.getInputProps('name')} />
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
          </FormColumn>
        </SettingsSection>
        <UnsavedGuard isDirty={form.isDirty()} what={`You have unsaved changes to ${hostOf(webhook.url)}.`} />
      </form>
      <RotateSecret webhook={webhook} />
      <DeleteWebhook webhook={webhook} />
    </>
  );
}

function initialValues({ url, name, events }: Webhook) {
  return { url, name, events: choiceOf(events) };
}
