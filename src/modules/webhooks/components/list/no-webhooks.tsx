'use client';

import { Button, Group } from '@mantine/core';
import { EmptyState } from '@/components/data-table/states';
import { IconPlus } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { Steps } from '@/components/text/steps';
import { CodeBlock } from '@/components/values/code-block';

const BODY = `{
  "id": "<01a1f2f7-798c-7ff0@example.org>",
  "event": "mail.bounced",
  "timestamp": "2026-11-19T08:41:09.204Z",
  "data": {
    "recipient": "ann@example.com",
    "bounce": {
      "type": "permanent",
      "smtp_code": 550,
      "enhanced_code": "5.1.1"
    },
    "will_retry": false
  }
}`;

type NoWebhooksProps = { domainName: string | undefined; onNew: () => void };

export function NoWebhooks({ domainName, onNew }: NoWebhooksProps) {
  return (
    <EmptyState
      title={domainName ? `No webhooks for ${domainName} yet` : 'No webhooks yet'}
      aside={
        <CodeBlock title="Example delivery" hint={<span className="mono">mail.bounced, shortened</span>} code={BODY} />
      }
    >
      <p>
        Get notified when mail is delivered or bounces. Events are posted to your HTTPS endpoint as signed JSON, and
        failed deliveries are retried up to five times over about three hours.
      </p>
      {domainName && <p>Webhooks for all domains also get its events. Select all domains to see them.</p>}
      <Steps>
        <span>
          <b>Add your endpoint.</b> You get a signing secret, shown once.
        </span>
        <span>
          <b>Verify signatures</b> with sample code in Node.js or Python.
        </span>
        <span>
          <b>Send a test event</b> and view your endpoint’s response.
        </span>
      </Steps>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New webhook
        </Button>
        <Button component={NearLink} href="/reference">
          API reference
        </Button>
      </Group>
    </EmptyState>
  );
}
