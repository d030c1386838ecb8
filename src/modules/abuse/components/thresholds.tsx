import { NumberInput } from '@mantine/core';
import { parseAsString } from 'nuqs';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { pasteWholeNumber } from '@/components/forms/paste-whole-number';
import { SaveBar } from '@/components/forms/save-bar';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FieldPair, FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { useHasRole } from '@/components/shell/use-has-role';
import { TextButton } from '@/components/text/text-button';
import { useUrlState } from '@/components/url-state';
import { type AbuseThresholds, UpdateAbuseThresholds } from '../schema';

const FIELDS = {
  mailbox_hourly: { label: 'Hourly limit per address' },
  domain_hourly: { label: 'Hourly limit per domain' },
  spike_factor: { label: 'Alert when volume exceeds' },
};

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
  const { open } = useUrlState({ history: parseAsString });
  const update = trpc.abuse.updateThresholds.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateAbuseThresholds,
    saved,
    fields: FIELDS,
    toInput: (changes) => changes,
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('abuse_threshold', loaded, input)),
    onSaved: async (after) => {
      utils.abuse.thresholds.setData({}, after);
      await utils.abuse.senders.invalidate();
    },
  });
  const field = { disabled: isReadOnly, clampBehavior: 'none' as const, thousandSeparator: ',', hideControls: true };

  return (
    <form noValidate onSubmit={onSubmit}>
      <SettingsSection
        title="Rate limits"
        hint="A mailbox that tries to send more than its limit is suspended. For an address without a mailbox, or a domain, messages over the limit are rejected. A domain’s own limit takes precedence."
        state={
          <p>
            <TextButton onClick={() => open({ history: 'limits' })}>History</TextButton>
          </p>
        }
      >
        <FormColumn>
          <FieldPair>
            <NumberInput
              label="Hourly limit per address"
              allowDecimal={false}
              onPasteCapture={pasteWholeNumber}
              {...field}
              {...form.getInputProps('mailbox_hourly')}
            />
            <NumberInput
              label="Hourly limit per domain"
              allowDecimal={false}
              onPasteCapture={pasteWholeNumber}
              {...field}
              {...form.getInputProps('domain_hourly')}
            />
          </FieldPair>
          <FieldPair>
            <NumberInput
              label="Alert when volume exceeds"
              description="Only raises an alert, and never below 20 messages per hour."
              suffix=" × usual hour"
              {...field}
              {...form.getInputProps('spike_factor')}
            />
          </FieldPair>
          <ProblemAlert problem={problem} />
          {isReadOnly ? <p className="soft">Only super admins can change these limits.</p> : <SaveBar {...saveBar} />}
        </FormColumn>
      </SettingsSection>
      <UnsavedGuard isDirty={isDirty} what="You have unsaved changes to the rate limits." />
    </form>
  );
}
