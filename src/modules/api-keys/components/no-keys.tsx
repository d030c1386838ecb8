'use client';

import { Button, Group } from '@mantine/core';
import { EmptyState } from '@/components/data-table/states';
import { IconPlus } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { Steps } from '@/components/text/steps';
import { CodeBlock } from '@/components/values/code-block';

const REQUEST = `curl https://…/api/v1/send \\
  -H "Authorization: Bearer service_…" \\
  -H "Content-Type: application/json" \\
  -d '{
    "from": { "email": "shop@example.org" },
    "to": [{ "email": "ann@example.com" }],
    "subject": "Your order",
    "text_body": "It is on its way."
  }'`;

export function NoKeys({ onNew }: { onNew: () => void }) {
  return (
    <EmptyState title="No API keys yet" aside={<CodeBlock title="Example request" code={REQUEST} />}>
      <p>
        With an API key, your application can send mail and use the API. A key has your access, or access to selected
        domains only.
      </p>
      <Steps>
        <span>
          <b>Create a key.</b> It is shown once.
        </span>
        <span>
          <b>Store it</b> with your application’s secrets.
        </span>
        <span>
          <b>Send mail</b> with one request.
        </span>
      </Steps>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New key
        </Button>
        <Button component={NearLink} href="/reference">
          API reference
        </Button>
      </Group>
    </EmptyState>
  );
}
