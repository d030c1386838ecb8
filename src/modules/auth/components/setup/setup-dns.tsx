'use client';

import { Button, Stack } from '@mantine/core';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { IconDownload } from '@/components/icons/icons';
import { StatusMark } from '@/components/marks/status-mark';
import { CopyIcon } from '@/components/values/copy-button';
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
    onSuccess: (checked) => {
      utils.domains.dns.setData({ id }, checked);
      void utils.overview.invalidate();
    },
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
          {required.map((record) => (
            <RecordItem key={`${record.type} ${record.name} ${record.purpose}`} record={record} />
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
        <Button loading={check.isPending} onClick={() => check.mutate({ id })}>
          Check now
        </Button>
        <Button variant="filled" onClick={onDone}>
          {broken > 0 || required.length === 0 ? 'Continue, publish later' : 'Continue'}
        </Button>
      </Stack>
      <p className={`quiet ${classes.note}`}>
        {broken > 0 && `${formatPlural(broken, 'record')} left. `}You can leave this page and continue from the
        overview.
      </p>
    </>
  );
}

type RequiredRecord = { type: string; name: string; severity: string; expected: string | null; fix: string | null };

/** A record, and what to publish while it isn't. */
function RecordItem({ record: { type, name, severity, expected, fix } }: { record: RequiredRecord }) {
  const isFound = severity !== 'error';
  return (
    <li>
      <StatusMark status={isFound ? 'on' : 'pending'}>{isFound ? 'Found' : 'To do'}</StatusMark>
      <span className="mono soft">{type}</span>
      <span className={classes.value}>
        <span className="mono wrap">{name}</span>
        {!isFound && <CopyIcon value={name} what={`the name of ${type} ${name}`} />}
      </span>
      {!isFound && (
        <span className={`${classes.value} ${classes.expected}`}>
          {expected === null ? (
            <span className="soft">{fix}</span>
          ) : (
            <>
              <span className="mono wrap">{expected}</span>
              <CopyIcon value={expected} what={`the value of ${type} ${name}`} />
            </>
          )}
        </span>
      )}
    </li>
  );
}
