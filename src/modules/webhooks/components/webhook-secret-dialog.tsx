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
  /** Where it replaces another, until when that one signs too; null: no longer. */
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
      kept="Postroom keeps it sealed, to sign with, and never shows it again."
      onStored={onStored}
      check={{
        title: 'Check one by hand',
        hint: 'prints the X-Service-Signature of a body in a file',
        command: opensslSnippet(`'${secret}'`),
      }}
      facts={
        <>
          <dt>Address</dt>
          <dd>
            <Endpoint url={url} />
          </dd>
          {previousUntil === undefined ? (
            <>
              <dt>Tells of</dt>
              <dd>{events.includes(ALL_EVENTS) ? 'All events' : <code className="wrap">{events.join(', ')}</code>}</dd>
              <dt>Domain</dt>
              <dd>{domainId === null ? 'All domains' : <code>{domainName ?? domainId}</code>}</dd>
            </>
          ) : (
            <>
              <dt>Old secret</dt>
              <dd>
                {previousUntil === null
                  ? 'No longer signs'
                  : `Signs too until ${formatFull(previousUntil)}, in X-Service-Signature-Previous`}
              </dd>
            </>
          )}
          <dt>Snippets</dt>
          <dd>On its page, under Verify the signature</dd>
        </>
      }
    />
  );
}
