'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import Link from 'next/link';
import { EmptyState } from '@/components/data-table/states';

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
      title={domainName ? `No webhook is for ${domainName} alone` : 'Be told when mail is delivered or bounces'}
      aside={
        <figure>
          <figcaption className="code-head">
            <b>What arrives</b>
            <span className="mono quiet">mail.bounced, shortened</span>
          </figcaption>
          <pre className="raw">{BODY}</pre>
        </figure>
      }
    >
      <p>
        Give Postroom an https address and choose the events. Each one is posted there as signed JSON, and tried again
        up to five times over three hours.
      </p>
      {domainName && <p>Webhooks for all domains hear of it too; they stand in the list of all domains.</p>}
      <ol className="steps">
        <li>
          <span>
            <b>Add the address.</b> You get a secret, which is shown once.
          </span>
        </li>
        <li>
          <span>
            <b>Verify the signature</b> with a snippet in Node or Python.
          </span>
        </li>
        <li>
          <span>
            <b>Send a test event</b> and see here what the address answers.
          </span>
        </li>
      </ol>
      <div className="row-actions">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New webhook
        </Button>
        <Button component={Link} href="/reference">
          API reference
        </Button>
      </div>
    </EmptyState>
  );
}

export function NoWebhookFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="No webhook fits">
      <p>None of them is in this state.</p>
      <div className="row-actions">
        <Button onClick={onClear}>Show all</Button>
      </div>
    </EmptyState>
  );
}
