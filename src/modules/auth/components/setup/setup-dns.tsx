'use client';

import { Button, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { IconDownload } from '@/components/icons/icons';
import { Notice } from '@/components/layout/notice';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { CopyIcon } from '@/components/values/copy-button';
import { formatPlural } from '@/lib/format';
import { normalizeDomainName } from '@/lib/mail/address';
import { DNS_PURPOSE_TEXTS, type DnsPurpose } from '@/lib/mail/dns-purposes';
import type { Domain } from '@/modules/domains/schema';
import { Lead } from '../postcard';
import classes from './setup.module.css';

const POLL_MS = 1_000;

type DnsRecord = {
  purpose: DnsPurpose;
  type: string;
  name: string;
  expected: string | null;
  required: boolean;
  status: string;
  severity: string;
};

type SetupDnsProps = { domain: Domain; onBack: () => void; onDone: () => void };

/** The step that lists the DNS records that mail needs, and whether each was found. */
export function SetupDns({ domain: { id, name }, onBack, onDone }: SetupDnsProps) {
  const { data, check, isChecking } = useCheckedDns(id);
  const records: DnsRecord[] = data?.records ?? [];
  const required = records.filter((record) => record.required);
  const left = required.filter(isLeft).length;
  const isAnswered = required.some(({ status }) => status !== 'unchecked' && status !== 'temporary_error');

  return (
    <>
      <h1>Publish the DNS records</h1>
      <Lead>
        {left === 0 && required.length > 0
          ? `Everything that mail of ${name} needs is published.`
          : `Other servers deliver to ${name} and trust its mail once these are at your DNS provider.`}
      </Lead>
      <Stack>
        <ProblemAlert problem={check.error ? toProblem(check.error) : null} />
        {data && data.checked_at !== null && !isChecking && !isAnswered && (
          <Notice status="deferred" title="No DNS server answered">
            <p>So nobody knows yet what is published. Check that this server reaches its DNS servers (DNS_SERVERS).</p>
          </Notice>
        )}
        <MailHost records={records} />
        <Records title="Your mail server, once for all domains" records={required.filter(isOfHost)} />
        <Records title={`Required for mail of ${name}`} records={required.filter((record) => !isOfHost(record))} />
        <details className={classes.optional}>
          <summary>Optional records</summary>
          <Records
            title="Optional"
            records={records.filter(({ required: is, expected }) => !is && expected !== null)}
          />
        </details>
        <Button
          component="a"
          href={`/api/v1/domains/${id}/dns/zone?only=missing`}
          download
          leftSection={<IconDownload stroke={1.5} />}
        >
          Download as zone file
        </Button>
        <Button loading={isChecking} onClick={() => check.mutate({ id })}>
          Check now
        </Button>
        <Button variant="filled" onClick={onDone}>
          {left > 0 || required.length === 0 ? 'Continue, publish later' : 'Continue'}
        </Button>
        <Button variant="subtle" color="gray" onClick={onBack}>
          Back
        </Button>
      </Stack>
      <p className={`quiet ${classes.note}`}>
        {left > 0 && `${formatPlural(left, 'record')} left. `}You can leave this page and continue from the overview.
      </p>
    </>
  );
}

/** The records of a domain. Looks them up once if nobody has. */
function useCheckedDns(id: string) {
  const utils = trpc.useUtils();
  const check = trpc.domains.checkDns.useMutation({
    onSuccess: (checked) => {
      utils.domains.dns.setData({ id }, checked);
      void utils.overview.invalidate();
    },
  });
  const { data } = trpc.domains.dns.useQuery(
    { id },
    { refetchInterval: ({ state }) => (state.data?.checked_at === null || state.data?.check != null) && POLL_MS },
  );
  const isNew = data?.checked_at === null && data.check === null;
  const startedFor = useRef('');
  const { mutate } = check;
  useEffect(() => {
    if (!isNew || startedFor.current === id) return;
    startedFor.current = id;
    mutate({ id });
  }, [isNew, id, mutate]);
  return { data, check, isChecking: check.isPending || data?.check != null };
}

function isOfHost({ purpose }: DnsRecord): boolean {
  return purpose === 'host' || purpose === 'ptr';
}

function isLeft({ status, severity }: DnsRecord): boolean {
  return severity === 'error' || status === 'unchecked' || status === 'temporary_error';
}

/** Said once: without a public name of the mail server, no record can name it. */
function MailHost({ records }: { records: readonly DnsRecord[] }) {
  const host = records.find(({ purpose, type }) => purpose === 'host' && type === 'A');
  if (!host || isPublic(host)) return null;
  return (
    <Notice status="warning" title="Your mail server has no public name yet">
      <p>
        It is called <code>{host.name}</code>, which no other server can find. Set <code>MAIL_HOST</code> to its name,
        such as <code>mail.example.com</code>, and restart Postroom. Sending in the sandbox works without it.
      </p>
    </Notice>
  );
}

function isPublic({ name }: DnsRecord): boolean {
  return normalizeDomainName(name) !== null;
}

function Records({ title, records }: { title: string; records: readonly DnsRecord[] }) {
  const shown = records.filter((record) => record.purpose !== 'host' || isPublic(record));
  if (shown.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={classes.group}>{title}</h2>
      <ul className={classes.records} aria-label={title}>
        {shown.map((record) => (
          <RecordItem key={`${record.type} ${record.name} ${record.purpose}`} record={record} />
        ))}
      </ul>
    </section>
  );
}

/** A record, what it is for, and what to publish. */
function RecordItem({ record }: { record: DnsRecord }) {
  const { purpose, type, name, expected } = record;
  const { label, does } = DNS_PURPOSE_TEXTS[purpose];
  const [mark, state] = stateOf(record);
  return (
    <li>
      <StatusMark status={mark}>{state}</StatusMark>
      <span>
        <b>{label}</b> <span className="soft">{does}</span>
      </span>
      <dl className={classes.fields}>
        <dt>{type}</dt>
        <dd>
          <span className="mono wrap">{name}</span>
          <CopyIcon value={name} what={`the name of ${type} ${name}`} />
        </dd>
        <dt>Value</dt>
        <dd>
          {expected === null ? (
            <span className="soft">{WITHOUT_VALUE[purpose] ?? 'Unknown'}</span>
          ) : (
            <>
              <span className="mono wrap">{expected}</span>
              <CopyIcon value={expected} what={`the value of ${type} ${name}`} />
            </>
          )}
        </dd>
      </dl>
    </li>
  );
}

const WITHOUT_VALUE: Partial<Record<DnsPurpose, string>> = {
  host: 'The IPv4 address of your mail server',
  mx: 'Priority 10 and the name of your mail server, once MAIL_HOST has it',
};

function stateOf({ status, severity, required }: DnsRecord): [Status, string] {
  if (status === 'ok') return ['on', 'Found'];
  if (status === 'unchecked' || status === 'missing' || status === 'temporary_error') return ['pending', 'To do'];
  return severity === 'error' || required ? ['bounced', 'Wrong'] : ['warning', 'Wrong'];
}
