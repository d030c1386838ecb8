'use client';

import { TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { DeleteSection } from '@/components/dialogs/delete-section';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SaveBar } from '@/components/forms/save-bar';
import { trimmed } from '@/components/forms/use-api-form';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { useNotifyDeleted } from '@/components/use-notify-deleted';
import { ALL_EVENTS, EVENT_TYPES } from '@/lib/event-types';
import { UpdateWebhook, type Webhook } from '../../schema';
import { EventsInput, type EventTypes } from '../events-input';
import { hostOf } from '../webhook-values';
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

function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const notifyDeleted = useNotifyDeleted();
  const host = hostOf(webhook.url);
  const deletion = trpc.webhooks.delete.useMutation({
    onSuccess: async () => {
      notifyDeleted({ id: webhook.id, name: `the webhook for ${host}` });
      router.push('/webhooks');
      await Promise.all([utils.webhooks.list.invalidate(), utils.overview.invalidate()]);
    },
  });

  return (
    <DeleteSection
      hint="Also deletes its deliveries and cancels their retries."
      note="The endpoint gets no more events. To pause deliveries, deactivate the webhook instead."
      action="Delete webhook"
      name={`the webhook for ${host}`}
      typeToConfirm={host}
      consequence="Its delivery history is deleted too. For 30 days, it can be restored under Recently deleted, with its secret."
      deletion={deletion}
      onConfirm={() => deletion.mutate(ifUnchanged('webhook', webhook, { id: webhook.id }))}
    />
  );
}
