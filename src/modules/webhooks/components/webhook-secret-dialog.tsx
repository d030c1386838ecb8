'use client';

import { SecretDialog } from '@/components/dialogs/secret-dialog';
import { ALL_EVENTS } from '@/lib/event-types';
import { formatFull } from '@/lib/format';
import type { Webhook } from '../schema';
import { Endpoint } from './endpoint';
import { opensslSnippet } from './verify/verify-snippets';

type WebhookSecretDialogProps = {
  title: string;
  webhook: Webhook;
  secret: string;
  domainName: string | undefined;
  /** For a rotated secret: the end of the old secret's grace period; null if revoked. Undefined for a new webhook. */
  previousUntil?: string | null;
  onStored: () => void;
};

export function WebhookSecretDialog(props: WebhookSecretDialogProps) {
  const { title, webhook, secret, domainName, previousUntil, onStored } = props;
  const { url, events, domain_id: domainId } = webhook;
  return (
    <SecretDialog
      title={title}
      secret={secret}
      copyLabel="Copy secret"
      note="Postroom stores it encrypted and can’t show it again."
      onDone={onStored}
      check={{
        title: 'Check a signature',
        hint: 'prints the X-Service-Signature of a body saved to a file',
        command: opensslSnippet(`'${secret}'`),
      }}
      facts={
        <>
          <dt>Endpoint</dt>
          <dd>
            <Endpoint url={url} />
          </dd>
          {previousUntil === undefined ? (
            <>
              <dt>Events</dt>
              <dd>{events.includes(ALL_EVENTS) ? 'All events' : <code className="wrap">{events.join(', ')}</code>}</dd>
              <dt>Domain</dt>
              <dd>{domainId === null ? 'All domains' : <code>{domainName ?? domainId}</code>}</dd>
            </>
          ) : (
            <>
              <dt>Old secret</dt>
              <dd>
                {previousUntil === null
                  ? 'Revoked'
                  : `Valid until ${formatFull(previousUntil)}, in X-Service-Signature-Previous`}
              </dd>
            </>
          )}
          <dt>Sample code</dt>
          <dd>On the webhook’s page, under Verify signatures</dd>
        </>
      }
    />
  );
}
