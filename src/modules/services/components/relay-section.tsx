'use client';

import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import type { Relay } from '../schema';
import { RelayTest } from './relay-test';

const TLS: Record<Relay['tls'], string> = {
  may: 'If the relay offers it',
  encrypt: 'Required',
  secure: 'Required, with a valid certificate',
};

/** Whether a mail server sends through a relay, and how. */
export function RelaySection({ host, relay }: { host: string; relay: Relay | null }) {
  return (
    <section aria-label="Relay">
      <SectionHeading title="Relay" level={3}>
        <StatusMark status={relay ? 'on' : 'off'}>{relay ? 'In use' : 'Not used'}</StatusMark>
      </SectionHeading>
      {relay ? (
        <>
          <Details relay={relay} />
          <RelayTest />
        </>
      ) : (
        <p className="soft">
          Mail goes to its recipients’ servers directly. If your provider blocks port 25, set <code>RELAY_HOST</code> in
          the settings file on {host}, then apply the configuration.
        </p>
      )}
    </section>
  );
}

function Details({ relay: { destination, user, tls, tls_from_start: isTlsFromStart, spf } }: { relay: Relay }) {
  return (
    <DetailsList>
      <dt>Server</dt>
      <dd className="mono">{destination}</dd>
      <dt>User</dt>
      <dd className="mono">{user ?? 'None'}</dd>
      <dt>TLS</dt>
      <dd>
        {TLS[tls]}
        {isTlsFromStart && ', from the start of the connection'}
      </dd>
      <dt>SPF</dt>
      <dd>
        {spf ? (
          <code>include:{spf}</code>
        ) : (
          <>
            Unknown. Set <code>RELAY_SPF</code> under <NearLink href="/system/config">Configuration</NearLink>, so that
            the DNS page of each domain asks for it.
          </>
        )}
      </dd>
    </DetailsList>
  );
}
