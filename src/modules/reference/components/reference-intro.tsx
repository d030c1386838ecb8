'use client';

import { trpc } from '@/components/api/trpc';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import { Steps } from '@/components/text/steps';
import { CodeBlock } from '@/components/values/code-block';
import { useOrigin } from '@/components/values/use-origin';
import classes from './reference-intro.module.css';

/** The example that most readers look for: sending a message with a key, from this server. */
export function ReferenceIntro({ server }: { server: string }) {
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const domains = trpc.domains.list.useQuery({ active: true, limit: 1, sort: 'name', order: 'asc' });
  const origin = useOrigin();
  const base = origin ? `${origin}/api/v1` : server;
  const domain = domains.data?.items[0]?.name ?? 'example.com';
  const recipient = me.data?.email ?? 'you@example.com';

  return (
    <section className={classes.intro} aria-labelledby="first-message">
      <div>
        <h2 id="first-message">Send a message</h2>
        <Steps isSmall>
          <span>
            <NearLink href="/api-keys?new=true">Create an API key</NearLink> and copy it. It’s shown only once.
          </span>
          <span>
            Make it available to your shell: <code>export POSTROOM_KEY=…</code>
          </span>
          <span>Run the command. The sender’s domain must be one of yours.</span>
          <span>
            The response has the <code>message_id</code>. Follow the message under{' '}
            <NearLink href="/messages">Messages</NearLink>, or with a webhook.
          </span>
        </Steps>
        <DetailsList>
          <dt>Base URL</dt>
          <dd className="mono wrap">{base}</dd>
          <dt>Authentication</dt>
          <dd className="mono wrap">Authorization: Bearer &lt;key&gt;</dd>
          <dt>Responses</dt>
          <dd>
            <span>
              JSON with <code>data</code>, or <code>error</code> with a <code>code</code> and a <code>message</code>
            </span>
          </dd>
          <dt>Rules</dt>
          <dd>
            <NearLink href="/docs/api-contract">Lists, errors, limits and changes at the same time</NearLink>
          </dd>
        </DetailsList>
      </div>
      <CodeBlock
        title="POST /send"
        hint="with curl"
        code={curlOf(base, domain, recipient)}
        what="the command"
        isProgram
      />
    </section>
  );
}

function curlOf(base: string, domain: string, recipient: string): string {
  return [
    `curl ${base}/send \\`,
    '  -H "Authorization: Bearer $POSTROOM_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    "  --data @- <<'JSON'",
    '{',
    `  "from": { "email": "hello@${domain}" },`,
    `  "to": [{ "email": ${JSON.stringify(recipient)} }],`,
    '  "subject": "First message",',
    '  "text_body": "Sent with the Postroom API."',
    '}',
    'JSON',
  ].join('\n');
}
