'use client';

import { Button, TextInput } from '@mantine/core';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { AddressesInput } from '@/components/directory/addresses-input';
import { SaveBar } from '@/components/forms/save-bar';
import { IconSend } from '@/components/icons/icons';
import { FormColumn } from '@/components/layout/form-layout';
import { notify } from '@/components/notifications';
import { parseAddress } from '@/lib/mail/address';
import type { Setting } from '@/modules/config/schema';
import { AlertFilters } from './alert-filters';
import { kindsText, severityText, useAlertSettings } from './use-alert-settings';

const DEFAULTS = {
  ALERT_EMAILS: [] as string[],
  ALERT_EMAIL_SEVERITY: 'warning',
  ALERT_EMAIL_KINDS: [] as string[],
  ALERT_EMAIL_DOMAINS: [] as string[],
  ALERT_QUIET_HOURS: '',
  ALERT_FROM: '',
};

const FIELDS = {
  ALERT_EMAILS: { label: 'Send alerts to' },
  ALERT_EMAIL_SEVERITY: { label: 'Severity', text: severityText },
  ALERT_EMAIL_KINDS: { label: 'Kinds', text: kindsText },
  ALERT_EMAIL_DOMAINS: { label: 'Domains' },
  ALERT_QUIET_HOURS: { label: 'Quiet hours' },
  ALERT_FROM: { label: 'Sender' },
};

/** Who gets emails about which alerts. */
export function AlertEmails({ settings }: { settings: Setting[] }) {
  const { form, fieldOf, problem, onSubmit, isDirty, saveBar } = useAlertSettings(settings, DEFAULTS, FIELDS);
  return (
    <form noValidate onSubmit={onSubmit}>
      <FormColumn>
        <AddressesInput
          label="Send alerts to"
          isInvalid={(address) => parseAddress(address) === null}
          {...fieldOf('ALERT_EMAILS', 'Up to 20 addresses. Without any, no email is sent.')}
        />
        <AlertFilters
          severity={fieldOf('ALERT_EMAIL_SEVERITY', 'Which alerts are emailed.')}
          kinds={fieldOf('ALERT_EMAIL_KINDS', 'Leave empty for all kinds.')}
          domains={fieldOf(
            'ALERT_EMAIL_DOMAINS',
            'Only alerts about these domains are emailed. System alerts are always emailed.',
          )}
        />
        <TextInput
          label="Quiet hours"
          className="mono-input"
          placeholder="22:00-07:00 Europe/Berlin"
          {...fieldOf(
            'ALERT_QUIET_HOURS',
            'Warnings are emailed after quiet hours, critical alerts immediately. Times without a zone are UTC.',
          )}
        />
        <TextInput
          label="Sender"
          className="mono-input"
          {...fieldOf(
            'ALERT_FROM',
            'An address of one of your domains. If empty, emails come from postroom@ at your mail server’s domain.',
          )}
        />
        <ProblemAlert problem={problem} />
        <SaveBar {...saveBar} />
        <SendTest isDisabled={isDirty || form.values.ALERT_EMAILS.length === 0} />
      </FormColumn>
      <UnsavedGuard isDirty={isDirty} what="You have unsaved changes to the alert emails." />
    </form>
  );
}

/** Tests the saved addresses. */
function SendTest({ isDisabled }: { isDisabled: boolean }) {
  const test = trpc.alerts.testEmails.useMutation({
    onSuccess: ({ accepted, problem, to }) => {
      const text = accepted ? `Sent a test to ${to.join(', ')}` : 'The mail server didn’t accept the test';
      notify({ text: problem ? `${text}. ${problem}` : text });
    },
    onError: (error) => notify({ text: 'Couldn’t send the test', problem: toProblem(error) }),
  });
  return (
    <div>
      <Button
        leftSection={<IconSend stroke={1.5} />}
        loading={test.isPending}
        disabled={isDisabled}
        aria-label="Send test email"
        onClick={() => test.mutate({})}
      >
        Send test
      </Button>
    </div>
  );
}
