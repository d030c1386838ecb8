'use client';

import { Button, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import Link from 'next/link';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { formatPlural } from '@/lib/format';
import type { Domain } from '@/modules/domains/schema';
import { Lead } from '../postcard';
import classes from './setup-dns.module.css';

const POLL_MS = 2_000;

type SetupDnsProps = { domain: Domain; onDone: () => void };

/** What to publish so that mail works, and whether it is found. */
export function SetupDns({ domain: { id, name }, onDone }: SetupDnsProps) {
  const utils = trpc.useUtils();
  const check = trpc.domains.checkDns.useMutation({
    onSuccess: (checked) => utils.domains.dns.setData({ id }, checked),
  });
  const { data } = trpc.domains.dns.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data?.checked_at === null && POLL_MS },
  );
  const required = data?.records.filter((record) => record.required) ?? [];
  const broken = required.filter(({ severity }) => severity === 'error').length;

  return (
    <>
      <h1>Publish the DNS records</h1>
      <Lead>
        {broken === 0 && required.length > 0
          ? `Everything that mail of ${name} needs is published.`
          : `Other servers deliver to ${name} and trust its mail once these are at your DNS provider.`}
      </Lead>
      <Stack>
        <ProblemAlert problem={check.error ? toProblem(check.error) : null} />
        <ul className={classes.records} aria-label="Records that mail needs" aria-busy={!data}>
          {required.map(({ type, name: recordName, severity }) => (
            <li key={`${type} ${recordName}`}>
              <StatusMark status={severity === 'error' ? 'pending' : 'on'}>
                {severity === 'error' ? 'To do' : 'Found'}
              </StatusMark>
              <span className="mono soft">{type}</span>
              <span className="mono wrap">{recordName}</span>
            </li>
          ))}
          {data && required.length === 0 && <li className="soft">The first check starts within a minute.</li>}
        </ul>
        <Button
          component="a"
          href={`/api/v1/domains/${id}/dns/zone?only=missing`}
          download
          leftSection={<IconDownload stroke={1.5} />}
        >
          Download as zone file
        </Button>
        <Button component={Link} href={`/domains/${id}?view=publish`} target="_blank">
          Show the values to copy
        </Button>
        <Button loading={check.isPending} onClick={() => check.mutate({ id })}>
          Check again
        </Button>
        <Button variant="filled" onClick={onDone}>
          {broken > 0 || required.length === 0 ? 'Continue, publish later' : 'Continue'}
        </Button>
      </Stack>
      <p className={`quiet ${classes.note}`}>
        {broken > 0 && `${formatPlural(broken, 'record')} left. `}You can leave this page. The overview shows what is
        left.
      </p>
    </>
  );
}
