import { Group } from '@mantine/core';
import { Fragment } from 'react';
import { Notice } from '@/components/layout/notice';
import { DetailsList } from '@/components/text/details-list';
import { CopyButton } from '@/components/values/copy-button';
import { DateTime } from '@/components/values/date-time';
import { formatClock, formatPlural } from '@/lib/format';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import type { DnsRecord } from '../../dns/schema';
import classes from './dns.module.css';
import { isSameSet, isSplit, isToPublish, relativeName, statusLabel } from './dns-values';
import { ExpectedValue, FoundValues, RecordFields } from './record-values';

type DnsDetailsProps = { record: DnsRecord; domain: string };

/** The problem of a record and why it matters, beside the value to publish and the value that was found. */
export function DnsDetails({ record, domain }: DnsDetailsProps) {
  const { purpose, name, expected, found, message, fix, status, checked_at } = record;
  const toPublish = isToPublish(record) ? expected : null;
  const isWrong = status !== 'ok';
  return (
    <div className={classes.details}>
      <div className={classes.text}>
        <h3>{message}</h3>
        <p>
          {isWrong && DNS_PURPOSE_TEXTS[purpose].why} {fix} {toPublish && found.length > 0 && cachedFor(record)}
        </p>
        {expected !== null && (
          <Group py={4}>
            <CopyButton value={expected} label="Copy value" />
            <CopyButton value={relativeName(name, domain)} label="Copy name" />
          </Group>
        )}
        <Answers record={record} />
      </div>
      <div className={classes.compared}>
        {toPublish !== null && (
          <section aria-label="Publish this">
            <p className={classes.head}>
              <b>Publish this</b>
              <span className="mono quiet wrap">{name}</span>
            </p>
            <ExpectedValue expected={toPublish} found={found[0]} />
            <RecordFields record={record} expected={toPublish} domain={domain} isPartsOnly />
          </section>
        )}
        {checked_at !== null && (
          <section aria-label="Found">
            <p className={classes.head}>
              <b>Found at {formatClock(checked_at)}</b>
              <span className="quiet">{agreement(record)}</span>
            </p>
            {found.length > 0 ? (
              <FoundValues expected={isWrong ? expected : null} found={found} />
            ) : (
              <p className="soft">{status === 'temporary_error' ? 'No DNS server answered.' : 'Nothing found.'}</p>
            )}
          </section>
        )}
      </div>
    </div>
  );
}

function Answers({ record }: { record: DnsRecord }) {
  const { authoritative, changed_at, checked_at, found } = record;
  return (
    <>
      {isSplit(record) && (
        <Notice status="warning" title="Your name servers give different answers">
          <p>Until they agree, what other servers see depends on which one they ask.</p>
        </Notice>
      )}
      <DetailsList>
        {authoritative.map((answer) => (
          <Fragment key={answer.server}>
            <dt>Name server</dt>
            <dd>
              <span className="wrap">
                <span className="mono">{answer.server}</span>: {statusLabel(answer.status)}
                {!isSameSet(answer.found, found) && answer.found.length > 0 && (
                  <span className="mono wrap"> {answer.found.join(' · ')}</span>
                )}
              </span>
            </dd>
          </Fragment>
        ))}
        {changed_at !== null && (
          <>
            <dt>Since</dt>
            <dd>
              <DateTime iso={changed_at} />
            </dd>
          </>
        )}
        {checked_at !== null && (
          <>
            <dt>Checked</dt>
            <dd>
              <DateTime iso={checked_at} />
            </dd>
          </>
        )}
      </DetailsList>
    </>
  );
}

function agreement({ authoritative, found, inherited_from }: DnsRecord): string {
  if (inherited_from !== null) return `inherited from ${inherited_from}`;
  if (authoritative.length === 0) return 'by the resolver';
  const agreeing = authoritative.filter((answer) => isSameSet(answer.found, found)).length;
  return `by ${agreeing} of ${formatPlural(authoritative.length, 'name server')}`;
}

function cachedFor({ ttl }: DnsRecord): string {
  if (!ttl) return '';
  const minutes = Math.ceil(ttl / 60);
  const time = minutes < 120 ? formatPlural(minutes, 'minute') : formatPlural(Math.round(minutes / 60), 'hour');
  return `Resolvers may keep the old value for up to ${time}.`;
}
