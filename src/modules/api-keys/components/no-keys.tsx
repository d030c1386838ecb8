'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import Link from 'next/link';
import { EmptyState } from '@/components/data-table/states';

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
    <EmptyState
      title="Let a program send mail"
      aside={
        <figure>
          <figcaption className="code-head">
            <b>What a key is for</b>
          </figcaption>
          <pre className="raw">{REQUEST}</pre>
        </figure>
      }
    >
      <p>A key stands for you: it reaches what you reach, or only the domains you choose.</p>
      <ol className="steps">
        <li>
          <span>
            <b>Create a key.</b> It is shown once.
          </span>
        </li>
        <li>
          <span>
            <b>Store it</b> where your program keeps its secrets.
          </span>
        </li>
        <li>
          <span>
            <b>Send</b> with one request.
          </span>
        </li>
      </ol>
      <div className="row-actions">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New key
        </Button>
        <Button component={Link} href="/reference">
          API reference
        </Button>
      </div>
    </EmptyState>
  );
}
