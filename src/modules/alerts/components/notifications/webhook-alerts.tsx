'use client';

import { ProblemAlert } from '@/components/api/problem-alert';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { SaveBar } from '@/components/forms/save-bar';
import { FormColumn } from '@/components/layout/form-layout';
import type { Setting } from '@/modules/config/schema';
import { KIND_OPTIONS } from '../alert-values';
import { AlertFilters } from './alert-filters';
import { kindsText, severityText, useAlertSettings } from './use-alert-settings';

const DEFAULTS = {
  ALERT_WEBHOOK_SEVERITY: 'warning',
  ALERT_WEBHOOK_KINDS: [] as string[],
  ALERT_WEBHOOK_DOMAINS: [] as string[],
};

const FIELDS = {
  ALERT_WEBHOOK_SEVERITY: { label: 'Severity', text: severityText },
  ALERT_WEBHOOK_KINDS: { label: 'Kinds', text: kindsText },
  ALERT_WEBHOOK_DOMAINS: { label: 'Domains' },
};

/** A webhook that fails gets no event about it. */
const OFFERED = KIND_OPTIONS.filter(({ value }) => value !== 'webhook_failing');

/** Which alerts are events for webhooks. */
export function WebhookAlerts({ settings }: { settings: Setting[] }) {
  const { fieldOf, problem, onSubmit, isDirty, saveBar } = useAlertSettings(settings, DEFAULTS, FIELDS);
  return (
    <form noValidate onSubmit={onSubmit}>
      <FormColumn>
        <AlertFilters
          severity={fieldOf('ALERT_WEBHOOK_SEVERITY', 'Applies to webhooks and GET /events.')}
          kinds={fieldOf('ALERT_WEBHOOK_KINDS', 'Leave empty for all kinds.')}
          offered={OFFERED}
          domains={fieldOf(
            'ALERT_WEBHOOK_DOMAINS',
            'Only alerts about these domains are sent. System alerts are always sent.',
          )}
        />
        <ProblemAlert problem={problem} />
        <SaveBar {...saveBar} />
      </FormColumn>
      <UnsavedGuard isDirty={isDirty} what="You have unsaved changes to the alerts for webhooks." />
    </form>
  );
}
