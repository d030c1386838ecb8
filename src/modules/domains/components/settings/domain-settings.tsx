'use client';

import { Switch, TagsInput, TextInput } from '@mantine/core';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { ACTIVE } from '@/components/forms/conflicting-fields';
import { LimitInput } from '@/components/forms/limit-input';
import { QuotaInput, quotaText } from '@/components/forms/quota-input';
import { SaveBar } from '@/components/forms/save-bar';
import { trimmed } from '@/components/forms/use-api-form';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { FieldPair, FormColumn } from '@/components/layout/form-layout';
import { MailboxPicker } from '@/components/pickers/mailbox-picker';
import { SettingsSection } from '@/components/settings-section';
import { type Domain, UpdateDomain } from '../../schema';
import { MtaStsMode, mtaStsModeText } from './mta-sts-mode';

const FIELDS = {
  active: ACTIVE,
  description: { label: 'Description' },
  max_mailboxes: { label: 'Mailboxes' },
  max_aliases: { label: 'Aliases' },
  default_quota_bytes: { label: 'Mailbox quota', text: quotaText },
  hourly_send_limit: { label: 'Messages per hour' },
  mta_sts_mode: { label: 'MTA-STS mode', text: mtaStsModeText },
  other_mx_hosts: { label: 'Other MX hosts', text: otherMxHostsText },
  report_mailbox_id: { label: 'Report mailbox', text: (id: string | null) => <MailboxName id={id} /> },
};

type DomainSettingsProps = { domain: Domain; isReadOnly: boolean };

export function DomainSettings({ domain, isReadOnly }: DomainSettingsProps) {
  const utils = trpc.useUtils();
  const update = trpc.domains.update.useMutation();
  const { form, problem, onSubmit, isDirty, saveBar } = useSavedForm({
    schema: UpdateDomain,
    saved: domain,
    fields: FIELDS,
    toInput: (changes) => ({ id: domain.id, ...trimmed(changes, ['description']) }),
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('domain', loaded, input)),
    onSaved: async (saved) => {
      utils.domains.get.setData({ id: domain.id }, saved);
      await utils.domains.list.invalidate();
    },
  });

  return (
    <>
      <form noValidate onSubmit={onSubmit}>
        <SettingsSection
          title="Domain"
          hint="An inactive domain can’t send or receive mail. Its settings and stored mail are kept."
        >
          <FormColumn>
            <Switch label="Active" disabled={isReadOnly} {...form.getInputProps('active', { type: 'checkbox' })} />
            <TextInput
              label="Description"
              maxLength={500}
              disabled={isReadOnly}
              {...form.getInputProps('description')}
            />
          </FormColumn>
        </SettingsSection>
        <SettingsSection title="Limits" hint="Leave a field empty to use the default.">
          <FormColumn>
            <FieldPair>
              <LimitInput
                label="Mailboxes"
                placeholder="No limit"
                disabled={isReadOnly}
                {...form.getInputProps('max_mailboxes')}
              />
              <LimitInput
                label="Aliases"
                placeholder="No limit"
                disabled={isReadOnly}
                {...form.getInputProps('max_aliases')}
              />
            </FieldPair>
            <FieldPair>
              <QuotaInput
                label="Mailbox quota (MB)"
                placeholder="No quota"
                disabled={isReadOnly}
                {...form.getInputProps('default_quota_bytes')}
              />
              <LimitInput
                label="Messages per hour"
                placeholder="Server default"
                disabled={isReadOnly}
                {...form.getInputProps('hourly_send_limit')}
              />
            </FieldPair>
          </FormColumn>
        </SettingsSection>
        <SettingsSection
          title="Inbound mail and reports"
          hint="Where other servers may deliver mail to the domain, how strictly they encrypt it, and where they report problems."
        >
          <FormColumn>
            <MtaStsMode isReadOnly={isReadOnly} {...form.getInputProps('mta_sts_mode')} />
            <OtherMxHosts isReadOnly={isReadOnly} {...form.getInputProps('other_mx_hosts')} />
            <ReportMailbox domain={domain} isReadOnly={isReadOnly} {...form.getInputProps('report_mailbox_id')} />
            <ProblemAlert problem={problem} />
            {isReadOnly ? <p className="soft">Only admins can change these settings.</p> : <SaveBar {...saveBar} />}
          </FormColumn>
        </SettingsSection>
      </form>
      <UnsavedGuard isDirty={isDirty} what={`You have unsaved changes to ${domain.name}.`} />
    </>
  );
}

type OtherMxHostsProps = {
  value?: string[];
  onChange?: (hosts: string[]) => void;
  isReadOnly: boolean;
  error?: string;
};

function otherMxHostsText(hosts: string[]): string {
  return hosts.length === 0 ? 'None' : hosts.join(', ');
}

/** Hosts in the MX records that are another server, and meant to be there. */
function OtherMxHosts({ value = [], onChange, isReadOnly, error }: OtherMxHostsProps) {
  return (
    <TagsInput
      label="Other MX hosts"
      description="Your backup or filter on another server. The DNS check accepts it in the MX records."
      className="mono-input"
      splitChars={[',', ' ']}
      acceptValueOnBlur
      disabled={isReadOnly}
      error={error}
      value={value}
      onChange={(hosts) => onChange?.(hosts.map((host) => host.trim()).filter(Boolean))}
    />
  );
}

type ReportMailboxProps = {
  domain: Domain;
  value?: string | null;
  onChange?: (id: string | null) => void;
  isReadOnly: boolean;
  error?: string;
};

function MailboxName({ id }: { id: string | null }) {
  const mailbox = trpc.mailboxes.get.useQuery({ id: id ?? '' }, { enabled: id !== null });
  return id === null ? 'None' : (mailbox.data?.email ?? id);
}

/** The mailbox whose DMARC and TLS reports are read. */
function ReportMailbox({ domain, isReadOnly, ...field }: ReportMailboxProps) {
  return (
    <MailboxPicker
      label="Report mailbox"
      description={`Reports that arrive in this mailbox are read too, besides those to dmarc-reports@${domain.name} and tls-reports@${domain.name}.`}
      placeholder="None"
      clearLabel="No report mailbox"
      domainId={domain.id}
      disabled={isReadOnly}
      {...field}
    />
  );
}
