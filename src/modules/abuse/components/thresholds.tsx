import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SaveBar } from '@/components/save-bar';
import { SettingsSection } from '@/components/settings-section';
import { useHasRole } from '@/components/shell/use-has-role';
import type { AbuseThresholds } from '../schema';

const FIELDS = { mailbox_hourly: 'mailbox_hourly', domain_hourly: 'domain_hourly', spike_factor: 'spike_factor' };

export function Thresholds() {
  const thresholds = trpc.abuse.thresholds.useQuery({});
  const mayChange = useHasRole('super_admin');
  if (thresholds.isError) {
    return <ErrorState what="the limits" error={thresholds.error} onRetry={() => void thresholds.refetch()} />;
  }
  if (!thresholds.data || mayChange === undefined) return null;
  return <ThresholdsForm saved={thresholds.data} isReadOnly={!mayChange} />;
}

function ThresholdsForm({ saved, isReadOnly }: { saved: AbuseThresholds; isReadOnly: boolean }) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: valuesOf(saved),
    validate: { mailbox_hourly: tooSmall, domain_hourly: tooSmall, spike_factor: tooSmall },
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
        title="Limits"
        hint="A mailbox over its limit is suspended; an address without one, and a domain, are refused until the hour has passed. A domain’s own limit goes before this one."
      >
        <div className="form-column">
          <div className="pair">
            <NumberInput
              label="Messages an hour, an address"
              allowDecimal={false}
              {...field}
              {...form.getInputProps('mailbox_hourly')}
            />
            <NumberInput
              label="Messages an hour, a domain"
              allowDecimal={false}
              {...field}
              {...form.getInputProps('domain_hourly')}
            />
          </div>
          <NumberInput
            label="Alert above this many times a usual hour"
            description="From 20 messages on; nothing is refused"
            {...field}
            {...form.getInputProps('spike_factor')}
          />
          <ProblemAlert problem={problem} />
          {isReadOnly ? (
            <p className="soft">Changing it needs the role super admin.</p>
          ) : (
            <SaveBar
              isDirty={form.isDirty()}
              isSaving={update.isPending}
              isSaved={update.isSuccess}
              onDiscard={form.reset}
            />
          )}
        </div>
      </SettingsSection>
      <UnsavedGuard isDirty={form.isDirty()} what="The limits are changed and not saved." />
    </form>
  );
}

type Values = Record<keyof typeof FIELDS, number | ''>;

function valuesOf({ mailbox_hourly, domain_hourly, spike_factor }: AbuseThresholds): Values {
  return { mailbox_hourly, domain_hourly, spike_factor };
}

function tooSmall(value: number | ''): string | null {
  return value === '' || value < 1 ? 'At least 1.' : null;
}

function changes(values: Values, before: Values): Partial<Record<keyof Values, number>> {
  const changed = (Object.keys(values) as (keyof Values)[]).filter((name) => values[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, Number(values[name])]));
}
