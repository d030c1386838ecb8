'use client';

import { Accordion, Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { Notice } from '@/components/layout/notice';
import { SettingsSection } from '@/components/settings-section';
import { DateTime } from '@/components/values/date-time';
import { formatPlural } from '@/lib/format';
import type { DomainDns } from '../../dns/schema';
import type { Domain } from '../../schema';
import classes from './dns.module.css';
import { DnsRecordItem, recordKey } from './dns-record-item';

type DnsSectionProps = { domain: Domain; dns: ReturnType<typeof useDns> };

export function useDns(id: string) {
  return trpc.domains.dns.useQuery({ id });
}

export function DnsSection({ domain, dns }: DnsSectionProps) {
  const { id } = domain;
  const utils = trpc.useUtils();
  const check = trpc.domains.checkDns.useMutation({
    onSuccess: async (checked) => {
      utils.domains.dns.setData({ id }, checked);
      await utils.domains.get.invalidate({ id });
    },
  });
  const { data, error, refetch } = dns;
  const hasProblems = data?.records.some(({ status }) => status !== 'ok') ?? false;

  return (
    <SettingsSection
      title="DNS"
      hint="The records that make mail work. Copy what is missing to your DNS provider."
      state={data && <CheckedAt dns={data} />}
    >
      {data ? (
        <div className={classes.dns}>
          {check.isError && <Notice status="bounced" role="alert" title={toProblem(check.error).message} />}
          {data.records.length > 0 && (
            <Accordion multiple variant="unstyled" classNames={{ item: classes.item, control: classes.control }}>
              {data.records.map((record) => (
                <DnsRecordItem key={recordKey(record)} record={record} />
              ))}
            </Accordion>
          )}
          <Group>
            <Button variant="filled" loading={check.isPending} onClick={() => check.mutate({ id })}>
              Check now
            </Button>
            <Button
              component="a"
              href={`/api/v1/domains/${id}/dns/zone`}
              download
              leftSection={<IconDownload stroke={1.5} />}
            >
              Zone file
            </Button>
            {data.records.length > 0 && hasProblems && (
              <Button component="a" href={`/api/v1/domains/${id}/dns/zone?only=missing`} download>
                Missing records only
              </Button>
            )}
          </Group>
        </div>
      ) : (
        <ErrorState what="DNS records" error={error} onRetry={() => void refetch()} />
      )}
    </SettingsSection>
  );
}

function CheckedAt({ dns: { checked_at, records } }: { dns: DomainDns }) {
  if (checked_at === null) return <p>Not checked yet</p>;
  const problems = records.filter(({ severity }) => severity === 'error' || severity === 'warning').length;
  return (
    <p>
      {problems === 0 ? 'No problems' : formatPlural(problems, 'problem')}, checked <DateTime iso={checked_at} />
    </p>
  );
}
