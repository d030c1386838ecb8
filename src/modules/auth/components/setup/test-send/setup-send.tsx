'use client';

import { Button, Group, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { NearLink } from '@/components/near-link';
import { MailboxPicker } from '@/components/pickers/mailbox-picker';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSkeleton } from '@/components/settings-section';
import type { Domain } from '@/modules/domains/schema';
import { Lead } from '../../postcard';
import { MailboxForm } from './mailbox-form';
import { SendForm } from './send-form';
import { TestResult } from './test-result';

const TARGETS = { mailbox: 'A mailbox here', outside: 'Another address' } as const;

type SetupSendProps = {
  email: string;
  domain: Domain;
  /** The Message-ID of the test message once it is sent. */
  sentAs: string | null;
  onSent: (messageId: string) => void;
  onBack: () => void;
};

/** Sends the first message to where it can be delivered: a mailbox of the domain, which is created here, or outside. */
export function SetupSend({ email, domain, sentAs, onSent, onBack }: SetupSendProps) {
  const [target, setTarget] = useState<keyof typeof TARGETS>('mailbox');
  const [to, setTo] = useState<string | null>(null);
  const mailboxes = trpc.mailboxes.list.useQuery({ domain_id: domain.id, active: true, limit: 1 });
  const chosen = to ?? mailboxes.data?.items[0]?.email ?? null;

  // The form is known once the mailboxes are.
  const form = useRef<HTMLDivElement>(null);
  const first = mailboxes.data && (chosen === null ? 'input' : 'button');
  useEffect(() => {
    if (first) form.current?.querySelector<HTMLElement>(`${first}[data-autofocus]`)?.focus();
  }, [first]);

  if (sentAs) return <TestResult messageId={sentAs} />;
  return (
    <>
      <h1>Send a test message</h1>
      <Lead>
        From <span className="mono">postmaster@{domain.name}</span>
      </Lead>
      <Stack ref={form}>
        <SegmentedControl label="Deliver to" value={target} options={TARGETS} onChange={setTarget} />
        {target === 'outside' ? (
          <SendForm key="outside" domain={domain} onSent={onSent} />
        ) : !mailboxes.data ? (
          <SettingsSkeleton heights={[120]} />
        ) : chosen === null ? (
          <MailboxForm email={email} domain={domain} onCreated={setTo} />
        ) : (
          <SendForm key={chosen} domain={domain} to={chosen} onSent={onSent}>
            <MailboxPicker by="email" domainId={domain.id} isActive value={chosen} onChange={setTo} />
          </SendForm>
        )}
        <Group grow>
          <Button variant="subtle" color="gray" onClick={onBack}>
            Back
          </Button>
          <Button component={NearLink} href="/" variant="subtle" color="gray">
            Skip for now
          </Button>
        </Group>
      </Stack>
    </>
  );
}
