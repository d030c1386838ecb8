'use client';

import { Select, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { AddressesInput } from '@/components/directory/addresses-input';
import { SaveBar } from '@/components/forms/save-bar';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FormColumn } from '@/components/layout/form-layout';
import { parseAddress } from '@/lib/mail/address';
import { type Setting, UpdateConfig } from '@/modules/config/schema';

type Loaded = Values & {
  /** When each setting was last saved. */
  changedAt: Record<string, string | null>;
};
type Values = { ALERT_EMAILS: string[]; ALERT_EMAIL_SEVERITY: string; ALERT_QUIET_HOURS: string; ALERT_FROM: string };

const SEVERITIES = [
  { value: 'warning', label: 'All alerts' },
  { value: 'critical', label: 'Critical alerts only' },
];

const FIELDS = {
  ALERT_EMAILS: { label: 'Send alerts to' },
  ALERT_EMAIL_SEVERITY: { label: 'From severity', text: severityText },
  ALERT_QUIET_HOURS: { label: 'Quiet hours' },
  ALERT_FROM: { label: 'Sender' },
};

/** The settings of the same names, which System → Configuration has too. */
export function AlertEmails({ settings }: { settings: Setting[] }) {
  const utils = trpc.useUtils();
  const update = trpc.config.update.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateConfig,
    saved: valuesOf(settings),
    fields: FIELDS,
    // An empty text is no setting.
    toInput: (changes) => ({
      values: Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value === '' ? null : value])),
    }),
    currentOf: (changed, loaded) => valuesOf(changed as Setting[], loaded),
    submit: async (input, { changedAt }) => {
      const expected = Object.fromEntries(Object.keys(input.values).map((key) => [key, changedAt[key] ?? null]));
      await update.mutateAsync({ ...input, expected });
      return valuesOf(await utils.config.list.fetch({}, { staleTime: 0 }));
    },
  });
  const isFixed = (key: keyof Values) => settings.some((setting) => setting.key === key && !setting.mutable);
  const descriptionOf = (key: keyof Values, text: string) =>
    isFixed(key) ? `${key} is set in the environment. Change it there.` : text;

  return (
    <form noValidate onSubmit={onSubmit}>
      <FormColumn>
        <AddressesInput
          label="Send alerts to"
          description={descriptionOf('ALERT_EMAILS', 'Up to 20 addresses. Without any, no email is sent.')}
          disabled={isFixed('ALERT_EMAILS')}
          isInvalid={(address) => parseAddress(address) === null}
          {...form.getInputProps('ALERT_EMAILS')}
        />
        <Select
          label="From severity"
          description={descriptionOf('ALERT_EMAIL_SEVERITY', 'Which alerts are emailed. All of them are listed above.')}
          data={SEVERITIES}
          allowDeselect={false}
          disabled={isFixed('ALERT_EMAIL_SEVERITY')}
          {...form.getInputProps('ALERT_EMAIL_SEVERITY')}
        />
        <TextInput
          label="Quiet hours"
          className="mono-input"
          placeholder="22:00-07:00 Europe/Berlin"
          description={descriptionOf(
            'ALERT_QUIET_HOURS',
            'Emails about warnings wait until they end. Critical alerts are emailed at once. In UTC without a time zone.',
          )}
          disabled={isFixed('ALERT_QUIET_HOURS')}
          {...form.getInputProps('ALERT_QUIET_HOURS')}
        />
        <TextInput
          label="Sender"
          className="mono-input"
          description={descriptionOf(
            'ALERT_FROM',
            'An address of one of your domains. If empty, emails come from postroom@ at your mail server’s domain.',
          )}
          disabled={isFixed('ALERT_FROM')}
          {...form.getInputProps('ALERT_FROM')}
        />
        <ProblemAlert problem={problem} />
        <SaveBar {...saveBar} />
      </FormColumn>
      <UnsavedGuard isDirty={isDirty} what="You have unsaved changes to the alert emails." />
    </form>
  );
}

/** The values of some of the settings, and for the others those of `rest`. */
function valuesOf(settings: Setting[], rest: Partial<Loaded> = {}): Loaded {
  const saved = new Map(settings.map((setting) => [setting.key, setting.value]));
  const currentOf = (key: keyof Values) => (saved.has(key) ? saved.get(key) : rest[key]);
  const emails = currentOf('ALERT_EMAILS');
  return {
    ALERT_EMAILS: Array.isArray(emails) ? emails : [],
    ALERT_EMAIL_SEVERITY: String(currentOf('ALERT_EMAIL_SEVERITY') ?? 'warning'),
    ALERT_QUIET_HOURS: String(currentOf('ALERT_QUIET_HOURS') ?? ''),
    ALERT_FROM: String(currentOf('ALERT_FROM') ?? ''),
    changedAt: {
      ...rest.changedAt,
      ...Object.fromEntries(settings.map((setting) => [setting.key, setting.updated_at])),
    },
  };
}

function severityText(severity: string): string {
  return SEVERITIES.find(({ value }) => value === severity)?.label ?? severity;
}
