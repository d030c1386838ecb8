'use client';

import { SecretDialog } from '@/components/dialogs/secret-dialog';
import { useDomainNames } from '@/components/pickers/use-domain-names';
import { formatDay, formatDaysLeft } from '@/lib/format';
import type { CreatedApiKey } from '../schema';

type KeySecretDialogProps = { created: CreatedApiKey; onStored: () => void };

export function KeySecretDialog({ created, onStored }: KeySecretDialogProps) {
  const { key, api_key, smtp } = created;
  const names = useDomainNames(api_key.scoped_domain_ids);
  const domains = api_key.scoped_domain_ids.map((id) => names.get(id) ?? id);
  return (
    <SecretDialog
      title={`Copy the key for ${api_key.name}`}
      secret={key}
      copyLabel="Copy key"
      onDone={onStored}
      check={{
        hint: 'returns your email and role',
        command: `curl ${window.location.origin}/api/v1/auth/me \\\n  -H "Authorization: Bearer ${key}"`,
      }}
      facts={
        <>
          <dt>Domains</dt>
          <dd>{domains.length === 0 ? 'All domains' : <span className="mono wrap">{domains.join(', ')}</span>}</dd>
          <dt>Rate limit</dt>
          <dd>{api_key.rate_limit === 0 ? 'Unlimited' : `${api_key.rate_limit} requests per minute`}</dd>
          <dt>Expires</dt>
          <dd>
            {api_key.expires_at === null
              ? 'Never'
              : `${formatDay(api_key.expires_at)}, ${formatDaysLeft(api_key.expires_at)}`}
          </dd>
          {smtp && (
            <>
              <dt>SMTP</dt>
              <dd>
                <span className="mono">{smtp.host}</span>, port{' '}
                {smtp.ports.tls !== null && `${smtp.ports.tls} (TLS) or `}
                {smtp.ports.starttls} (STARTTLS), user name <span className="mono">{smtp.user_name}</span>, the key as
                the password
              </dd>
            </>
          )}
        </>
      }
    />
  );
}
