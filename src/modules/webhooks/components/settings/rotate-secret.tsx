'use client';

import { Button, Select } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { SettingsSection } from '@/components/settings-section';
import { formatFull } from '@/lib/format';
import type { Webhook } from '../../schema';
import { WebhookSecretDialog } from '../webhook-secret-dialog';
import { hostOf } from '../webhook-values';

const LOOK_AGAIN_MS = 5_000;

const GRACES = [
  { value: '0', label: 'Not at all: it leaked' },
  { value: '1', label: 'For an hour' },
  { value: '24', label: 'For a day' },
  { value: '72', label: 'For 3 days' },
  { value: '168', label: 'For a week' },
];

export function RotateSecret({ webhook }: { webhook: Webhook }) {
  const utils = trpc.useUtils();
  const [grace, setGrace] = useState('24');
  const rotate = trpc.webhooks.rotateSecret.useMutation({
    onSuccess: () => void utils.webhooks.get.invalidate({ id: webhook.id }),
  });
  return (
    <SettingsSection title="Secret" hint="It signs every delivery. A new one counts at once.">
      <div className="form-column">
        {webhook.previous_secret_until && <OldSecret until={webhook.previous_secret_until} />}
        <Select
          label="The old secret signs as well"
          description="In X-Service-Signature-Previous, so that the endpoint can change over in its own time"
          data={GRACES}
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
            Make a new secret
          </Button>
        </div>
      </div>
      {rotate.data && (
        <WebhookSecretDialog
          title={`Copy the new secret of ${hostOf(webhook.url)}`}
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
  useInterval(() => setNow(Date.now()), LOOK_AGAIN_MS, { autoInvoke: true });
  if (new Date(until).getTime() <= now) return null;
  return (
    <p className="soft">
      The old secret still signs until <b className="strong">{formatFull(until)}</b>. A new one ends that at once.
    </p>
  );
}
