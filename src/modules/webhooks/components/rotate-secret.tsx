'use client';

import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Entry } from '@/components/entry';
import type { Webhook } from '../schema';
import { WebhookSecretDialog } from './webhook-secret-dialog';
import { hostOf } from './webhook-values';

const GRACES = [
  { value: '0', label: 'Not at all: it leaked' },
  { value: '1', label: 'For an hour' },
  { value: '24', label: 'For a day' },
  { value: '72', label: 'For 3 days' },
  { value: '168', label: 'For a week' },
];

export function RotateSecret({ webhook }: { webhook: Webhook }) {
  const [grace, setGrace] = useState('24');
  const rotate = trpc.webhooks.rotateSecret.useMutation();
  return (
    <Entry title="Secret" hint="It signs every delivery. A new one counts at once.">
      <div className="form-column">
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
    </Entry>
  );
}
