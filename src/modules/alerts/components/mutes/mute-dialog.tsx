'use client';

import { Autocomplete, Select, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { DateTimeInput } from '@/components/forms/date-time-input';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { notify } from '@/components/notifications';
import { DomainPicker } from '@/components/pickers/domain-picker';
import { useHasRole } from '@/components/shell/use-has-role';
import { shownSubject } from '@/lib/texts/alert-subject';
import { currentTimeZone } from '@/lib/time/time-zone';
import { enteredTime, inputValue } from '@/lib/time/zoned-time';
import { CreateAlertMute, maxMuteHours, maxMuteText } from '../../mutes/schema';
import type { Alert } from '../../schema';
import { KIND_OPTIONS, SEVERITY_OPTIONS } from '../alert-values';

const HOUR_MS = 3_600_000;

const MAX_SUGGESTED = 200;

const ENDS = [
  { value: '1', label: 'In 1 hour' },
  { value: '8', label: 'In 8 hours' },
  { value: '24', label: 'In 1 day' },
  { value: '168', label: 'In 7 days' },
  { value: 'at', label: 'At a date and time' },
  { value: 'never', label: 'When somebody unmutes them' },
];

type Values = {
  kind: Alert['kind'] | null;
  severity: string | null;
  domain_id: string | null;
  subject: string;
  reason: string;
  ends: string | null;
  /** In the time zone of the console. */
  ends_at: string;
};

type MuteDialogProps = {
  opened: boolean;
  /** Alerts of its kind, domain and subject are suggested. */
  alert: Alert | null;
  onClose: () => void;
};

export function MuteDialog({ opened, alert, onClose }: MuteDialogProps) {
  const zone = currentTimeZone();
  const utils = trpc.useUtils();
  const mute = trpc.alerts.mute.useMutation();
  const initialValues: Values = {
    kind: alert?.kind ?? null,
    severity: null,
    domain_id: alert?.domain_id ?? null,
    subject: alert?.subject ?? '',
    reason: '',
    ends: '24',
    ends_at: inputValue(new Date(Date.now() + 24 * HOUR_MS), zone),
  };
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateAlertMute,
    initialValues,
    toInput: (values) => inputOf(values, zone),
    submit: (input) => mute.mutateAsync(input as CreateAlertMute),
    onSaved: async () => {
      await utils.alerts.invalidate();
      onClose();
      notify({ text: 'Alerts muted' });
    },
  });

  const isSuperAdmin = useHasRole('super_admin') === true;
  const { kind, domain_id, subject, ends } = form.values;
  const maxHours = maxMuteHours({ kind, domain_id, subject: subject.trim() || null }, isSuperAdmin);
  const open = trpc.alerts.list.useQuery(
    { status: 'open', kind: kind ?? undefined, domain_id: domain_id ?? undefined, limit: MAX_SUGGESTED },
    { enabled: opened },
  );

  return (
    <Dialog
      opened={opened}
      title="Mute alerts"
      action="Mute alerts"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <p className="soft">Alerts that match all of these are muted.</p>
      <Select label="Kind" placeholder="All kinds" data={KIND_OPTIONS} clearable {...form.getInputProps('kind')} />
      <Select
        label="Severity"
        placeholder="Any severity"
        data={SEVERITY_OPTIONS}
        clearable
        {...form.getInputProps('severity')}
      />
      <DomainPicker label="Domain" allLabel="Any domain, or none" {...form.getInputProps('domain_id')} />
      <Autocomplete
        label="Subject (optional)"
        description="The address, domain, webhook or part of the system, as in the list."
        data={[...new Set(open.data?.items.map(shownSubject))]}
        className="mono-input"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('subject')}
      />
      <Select
        label="Ends"
        description={maxHours === null ? undefined : maxMuteText(maxHours)}
        data={ENDS}
        allowDeselect={false}
        data-autofocus
        {...form.getInputProps('ends')}
        error={ends === 'at' ? undefined : form.errors.ends_at}
      />
      {ends === 'at' && (
        <DateTimeInput label="Ends at" {...form.getInputProps('ends_at')} value={form.values.ends_at} />
      )}
      <TextInput label="Reason (optional)" maxLength={500} autoComplete="off" {...form.getInputProps('reason')} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

function inputOf(values: Values, zone: string) {
  const { ends, ends_at, subject, reason, ...scope } = trimmed(values, ['subject', 'reason']);
  return { ...scope, subject: subject || null, reason, ends_at: endOf(ends, ends_at, zone) };
}

/** An empty time is no time, which the schema rejects. */
function endOf(ends: string | null, text: string, zone: string): string | null {
  if (ends === 'never') return null;
  if (ends === 'at') return enteredTime(text, zone)?.toISOString() ?? '';
  return new Date(Date.now() + Number(ends) * HOUR_MS).toISOString();
}
