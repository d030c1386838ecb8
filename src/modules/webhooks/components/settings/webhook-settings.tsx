'use client';

import { TextInput } from '@mantine/core';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SaveBar } from '@/components/forms/save-bar';
import { trimmed } from '@/components/forms/use-api-form';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { ALL_EVENTS, EVENT_TYPES } from '@/lib/event-types';
import { UpdateWebhook, type Webhook } from '../../schema';
import { EventsInput, type EventTypes } from '../events-input';
import { hostOf } from '../webhook-values';
import { DeleteWebhook } from './delete-webhook';
import { RotateSecret } from './rotate-secret';

const FIELDS = {
  url: { label: 'Endpoint URL' },
  name: { label: 'Name' },
  events: { label: 'Events', text: (events: EventTypes) => events.join('\n') },
};
const SUBSCRIBABLE = [ALL_EVENTS, ...EVENT_TYPES] as const;

export function WebhookSettings({ webhook }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const update = trpc.webhooks.update.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateWebhook,
    saved: settingsOf(webhook),
    fields: FIELDS,
    toInput: (changes) => ({ id: webhook.id, ...trimmed(changes, ['url', 'name']) }),
    submit: async (input, loaded) => settingsOf(await update.mutateAsync(ifUnchanged('webhook', loaded, input))),
    currentOf: (current) => settingsOf(current as Webhook),
    onSaved: async (saved) => {
      utils.webhooks.get.setData({ id: webhook.id }, saved);
      await utils.webhooks.list.invalidate();
    },
  });

  return (
    <>
      <form noValidate onSubmit={onSubmit}>
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
            <EventsInput {...form.getInputProps('events')} value={form.values.events} />
            <ProblemAlert problem={problem} />
            <SaveBar {...saveBar} isSecondary />
          </FormColumn>
        </SettingsSection>
        <UnsavedGuard isDirty={isDirty} what={`You have unsaved changes to ${hostOf(webhook.url)}.`} />
      </form>
      <RotateSecret webhook={webhook} />
      <DeleteWebhook webhook={webhook} />
    </>
  );
}

function settingsOf(webhook: Webhook) {
  const events: EventTypes = SUBSCRIBABLE.filter((type) => webhook.events.includes(type));
  return { ...webhook, events };
}
