import { Accordion } from '@mantine/core';
import { Fragment } from 'react';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { DetailsList } from '@/components/text/details-list';
import { CodeBlock } from '@/components/values/code-block';
import { DateTime } from '@/components/values/date-time';
import type { DnsPurpose, DnsRecord } from '../../dns/schema';
import classes from './dns.module.css';

const PURPOSES: Record<DnsPurpose, string> = {
  mx: 'MX',
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  mta_sts: 'MTA-STS',
  tls_rpt: 'TLS reports',
  starttls: 'TLS',
  dane: 'DANE',
  dnssec: 'DNSSEC',
  caa: 'CAA',
  ns: 'Name servers',
  autoconfig: 'Autoconfig',
  autodiscover: 'Autodiscover',
  blocklist: 'Blocklist',
  host: 'Address',
  ptr: 'Reverse DNS',
  srv: 'Service',
  ownership: 'Ownership',
};

const STATUS_LABELS: Record<DnsRecord['status'], string> = {
  ok: 'Found',
  missing: 'Missing',
  mismatch: 'Wrong',
  multiple: 'Duplicate',
  insecure: 'Insecure',
  temporary_error: 'No answer',
};

export function recordKey({ purpose, type, name }: DnsRecord): string {
  return `${purpose}-${type}-${name}`;
}

/** A row with the record's state, which opens to what to publish, what was found and what to do. */
export function DnsRecordItem({ record }: { record: DnsRecord }) {
  const { purpose, type, name, expected, found, message, fix, authoritative, status } = record;
  const label = PURPOSES[purpose];
  return (
    <Accordion.Item value={recordKey(record)}>
      <Accordion.Control>
        <span className={classes.row}>
          <StatusMark status={markOf(record)}>{STATUS_LABELS[status]}</StatusMark>
          <b>{label}</b>
          <span className={classes.name}>{name}</span>
        </span>
      </Accordion.Control>
      <Accordion.Panel>
        <div className={classes.details}>
          <p>
            {message} {fix}
          </p>
          {expected !== null && status !== 'ok' && (
            <>
              <CodeBlock
                title="Name"
                hint={`of the ${type} record`}
                code={name}
                what={`the name of ${label} ${name}`}
              />
              <CodeBlock title="Publish" code={expected} what={`the value of ${label} ${name}`} />
            </>
          )}
          {found.length > 0 && <CodeBlock title="Found" code={found.join('\n')} />}
          <DetailsList>
            {authoritative.map((answer) => (
              <Fragment key={answer.server}>
                <dt>Name server {answer.server}</dt>
                <dd>{STATUS_LABELS[answer.status]}</dd>
              </Fragment>
            ))}
            <dt>Since</dt>
            <dd>
              <DateTime iso={record.changed_at} />
            </dd>
          </DetailsList>
        </div>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function markOf({ severity, status }: DnsRecord): Status {
  if (status === 'ok') return 'on';
  if (status === 'temporary_error') return 'deferred';
  if (severity === 'error') return 'failed';
  return severity === 'warning' ? 'warning' : 'off';
}
