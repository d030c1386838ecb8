import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { FieldPair, FormColumn } from '@/components/layout/form-layout';
import { SaveBar } from '@/components/save-bar';
import { SettingsSection } from '@/components/settings-section';
import { useHasRole } from '@/components/shell/use-has-role';
import type { AbuseThresholds } from '../schema';

const FIELDS = { mailbox_hourly: 'mailbox_hourly', domain_hourly: 'domain_hourly', spike_factor: 'spike_factor' };

export function Thresholds() {
  const thresholds = trpc.abuse.thresholds.useQuery({});
  const canChange = useHasRole('super_admin');
  if (thresholds.isError) {
    return <ErrorState what="rate limits" error={thresholds.error} onRetry={() => void thresholds.refetch()} />;
  }
  if (!thresholds.data || canChange === undefined) return null;
  return <ThresholdsForm saved={thresholds.data} isReadOnly={!canChange} />;
}

function ThresholdsForm({ saved, isReadOnly }: { saved: AbuseThresholds; isReadOnly: boolean }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: valuesOf(saved),
    validate: { mailbox_hourly: minimumError, domain_hourly: minimumError, spike_factor: minimumError },
  });
  const update = trpc.abuse.updateThresholds.useMutation({
    onSuccess: async (after) => {
      utils.abuse.thresholds.setData({}, after);
      form.setInitialValues(valuesOf(after));
      form.setValues(valuesOf(after));
      await utils.abuse.senders.invalidate();
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, FIELDS)),
  });
  const field = { disabled: isReadOnly, clampBehavior: 'none' as const, thousandSeparator: ',', hideControls: true };

  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        setProblem(null);
        update.mutate(changes(values, valuesOf(saved)));
      })}
    >
      <SettingsSection
        title="Rate limits"
        hint="A mailbox over its limit is suspended. For an address without a mailbox, or a domain, messages over the limit are rejected. A domain’s own limit takes precedence."
      >
        <FormColumn>
          <FieldPair>
            <NumberInput
              label="Hourly limit per address"
              allowDecimal={false}
              {...field}
              {...form.getInputProps('mailbox_hourly')}
            />
            <NumberInput
              label="Hourly limit per domain"
              allowDecimal={false}
              {...field}
              {...form.getInputProps('domain_hourly')}
            />
          </FieldPair>
          <NumberInput
            label="Alert when volume exceeds (× usual hour)"
            description="Applies from 20 messages per hour. No messages are rejected."
            {...field}
            {...form.getInputProps('spike_factor')}
          />
          <ProblemAlert problem={problem} />
          {isReadOnly ? (
            <p className="soft">Only super admins can change these limits.</p>
          ) : (
            <SaveBar
              isDirty={form.isDirty()}
              isSaving={update.isPending}
              isSaved={update.isSuccess}
              onDiscard={form.reset}
            />
          )}
        </FormColumn>
      </SettingsSection>
      <UnsavedGuard isDirty={form.isDirty()} what="You have unsaved changes to the rate limits." />
    </form>
  );
}

type Values = Record<keyof typeof FIELDS, number | ''>;

function valuesOf({ mailbox_hourly, domain_hourly, spike_factor }: AbuseThresholds): Values {
  return { mailbox_hourly, domain_hourly, spike_factor };
}

function minimumError(value: number | ''): string | null {
  return value === '' || value < 1 ? 'Enter a number of at least 1.' : null;
}

function changes(values: Values, before: Values): Partial<Record<keyof Values, number>> {
  const changed = (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, Number(values[name])]));
}
