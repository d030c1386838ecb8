'use client';

import { Stack } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { FormColumn } from '@/components/layout/form-layout';
import { NearLink } from '@/components/near-link';
import { SettingsSection, SettingsSkeleton } from '@/components/settings-section';
import { useHasRole } from '@/components/shell/use-has-role';
import { NOTIFICATION_HEIGHTS } from '../alert-values';
import { Mutes, useMutes } from '../mutes/mutes';
import { AlertEmails } from './alert-emails';
import { AlertWebhooks, useAlertWebhooks } from './alert-webhooks';
import { WebhookAlerts } from './webhook-alerts';

/** Who is notified of alerts, and how. Super admins choose who gets emails. */
export function Notifications({ onMute }: { onMute: () => void }) {
  const canConfigure = useHasRole('super_admin');
  const config = trpc.config.list.useQuery({}, { enabled: canConfigure === true });
  const mutes = useMutes();
  const webhooks = useAlertWebhooks();
  // Everything appears at once, so that nothing moves.
  const isPending = canConfigure === undefined || (canConfigure && config.isPending);
  if (isPending || mutes.isPending || webhooks.isPending) return <SettingsSkeleton heights={NOTIFICATION_HEIGHTS} />;
  return (
    <>
      {config.error && <ErrorState what="alert emails" error={config.error} onRetry={() => void config.refetch()} />}
      {config.data && (
        <SettingsSection
          title="Alert emails"
          hint="An email when an alert opens, and when it closes."
          state={<HistoryLink setting="ALERT_EMAIL" />}
        >
          <AlertEmails settings={config.data} />
        </SettingsSection>
      )}
      <SettingsSection
        title="Alert webhooks"
        hint="Webhooks that get the event system.alert when an alert opens or closes, for example in a chat."
        state={config.data && <HistoryLink setting="ALERT_WEBHOOK" />}
      >
        <Stack gap="xl">
          <FormColumn>
            <AlertWebhooks />
          </FormColumn>
          {config.data && <WebhookAlerts settings={config.data} />}
        </Stack>
      </SettingsSection>
      <SettingsSection
        title="Muted alerts"
        hint="Muted alerts are recorded but don’t notify. Any still open when the mute ends notify then."
      >
        <FormColumn>
          <Mutes onMute={onMute} />
        </FormColumn>
      </SettingsSection>
    </>
  );
}

/** @param setting how the names of the settings begin */
function HistoryLink({ setting }: { setting: string }) {
  return (
    <p>
      <NearLink href={`/system/config?${new URLSearchParams({ q: setting })}`}>Settings and their history</NearLink>
    </p>
  );
}
