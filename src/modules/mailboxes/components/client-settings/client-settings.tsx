'use client';

import { Button, Group } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { IconPrinter } from '@/components/icons/icons';
import { FormColumn } from '@/components/layout/form-layout';
import { Skeleton } from '@/components/marks/skeleton';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { DetailsList } from '@/components/text/details-list';
import { CopyButton, CopyIcon } from '@/components/values/copy-button';
import type { ClientSettings as Settings } from '../../schema';

export const SIDES = [
  { protocol: 'imap', name: 'Incoming' },
  { protocol: 'smtp', name: 'Outgoing' },
] as const;
export const SECURITY_LABELS = { tls: 'SSL/TLS', starttls: 'STARTTLS' } as const;

/** The settings that a mail program asks for, as rows of a list. */
export function ClientSettingsRows({ settings }: { settings: Settings | undefined }) {
  return (
    <>
      <dt>User name</dt>
      <dd>
        {settings ? <span className="mono clip">{settings.user_name}</span> : <Skeleton width={200} />}
        {settings && <CopyIcon value={settings.user_name} what="the user name" />}
      </dd>
      <dt>Server</dt>
      <dd>
        {settings ? <span className="mono clip">{settings.host}</span> : <Skeleton width={160} />}
        {settings && <CopyIcon value={settings.host} what="the server" />}
      </dd>
      {SIDES.map(({ protocol, name }) => (
        <Row key={protocol} name={name} value={settings && portsOf(settings, protocol)} />
      ))}
    </>
  );
}

function Row({ name, value }: { name: string; value: string | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value ?? <Skeleton width={232} />}</dd>
    </>
  );
}

export function ClientSettings({ mailboxId }: { mailboxId: string }) {
  const { data } = trpc.mailboxes.clientSettings.useQuery({ id: mailboxId });
  return (
    <SettingsSection
      title="Mail program settings"
      hint="For mail programs without automatic setup. Use the mailbox’s password."
    >
      <FormColumn>
        <DetailsList>
          <ClientSettingsRows settings={data} />
        </DetailsList>
        <Group>
          <CopyButton value={data ? textOf(data) : ''} label="Copy all" />
          <Button
            component={NearLink}
            href={`/mailboxes/${mailboxId}/client-settings`}
            leftSection={<IconPrinter stroke={1.5} />}
          >
            Printable page
          </Button>
        </Group>
      </FormColumn>
    </SettingsSection>
  );
}

/** Returns text like "IMAP, port 993 with SSL/TLS, or 143 with STARTTLS". */
function portsOf({ services }: Settings, protocol: 'imap' | 'smtp'): string {
  const own = services.filter((service) => service.protocol === protocol);
  return `${protocol.toUpperCase()}, port ${own.map(({ port, security }) => `${port} with ${SECURITY_LABELS[security]}`).join(', or ')}`;
}

export function textOf(settings: Settings): string {
  const sides = SIDES.map(({ protocol, name }) => `${name}: ${settings.host}, ${portsOf(settings, protocol)}`);
  return [`User name: ${settings.user_name}`, ...sides].join('\n');
}
