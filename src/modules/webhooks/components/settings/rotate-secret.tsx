'use client';

import { Button, Select } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { FormColumn } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { formatFull } from '@/lib/format';
import type { Webhook } from '../../schema';
import { WebhookSecretDialog } from '../webhook-secret-dialog';
import { hostOf } from '../webhook-values';

const REFRESH_MS = 5_000;

const GRACE_PERIODS = [
  { value: '0', label: 'Revoke now (if leaked)' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];

export function RotateSecret({ webhook }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const [grace, setGrace] = useState('24');
  const rotate = trpc.webhooks.rotateSecret.useMutation({
    onSuccess: () => void utils.webhooks.get.invalidate({ id: webhook.id }),
  });
  return (
    <SettingsSection id="secret" title="Secret" hint="Signs every delivery. A new secret takes effect immediately.">
      <FormColumn>
        {webhook.previous_secret_until && <OldSecret until={webhook.previous_secret_until} />}
        <Select
          label="Keep the old secret valid for"
          description="Grace period to update your endpoint. Deliveries also carry X-Service-Signature-Previous."
          data={GRACE_PERIODS}
          allowDeselect={false}
          value={grace}
          onChange={(value) => value && setGrace(value)}
        />
        <ProblemAlert problem={rotate.error ? toProblem(rotate.error) : null} />
        <div>
          <Button
            loading={rotate.isPending}
            onClick={() => rotate.mutate({ id: webhook.id, grace_hours: Number(grace) })}
          >
            Rotate secret
          </Button>
        </div>
      </FormColumn>
      {rotate.data && (
        <WebhookSecretDialog
          title={`Copy the new secret for ${hostOf(webhook.url)}`}
          webhook={webhook}
          secret={rotate.data.secret}
          domainName={undefined}
          previousUntil={rotate.data.previous_valid_until}
          onStored={rotate.reset}
        />
      )}
    </SettingsSection>
  );
}

function OldSecret({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), REFRESH_MS, { autoInvoke: true });
  if (new Date(until).getTime() <= now) return null;
  return (
    <p className="soft">
      The old secret is valid until <b className="strong">{formatFull(until)}</b>. Rotating again revokes it
      immediately.
    </p>
  );
}
