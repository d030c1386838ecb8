'use client';

import { keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { Figures } from '@/components/layout/figures';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { CodeBlock } from '@/components/values/code-block';
import { formatCount, formatPlural, formatShare } from '@/lib/format';
import type { DomainDmarc } from '../../dmarc/schema';
import type { GetDomainResults } from '../../schema';
import { ByDay } from '../by-day';
import { Dropped } from '../dropped';
import classes from '../reports.module.css';
import { DmarcSources } from './dmarc-sources';
import { Simulation } from './simulation';

type DmarcResultsProps = {
  id: string;
  range: Omit<GetDomainResults, 'id'>;
  /** Below the results, once these have their final height. */
  children: ReactNode;
};

/** Who sends with the domain's name, and what to do about it. */
export function DmarcResults({ id, range, children }: DmarcResultsProps) {
  const { data, error, refetch } = trpc.reports.domainDmarc.useQuery(
    { id, ...range },
    { placeholderData: keepPreviousData },
  );
  if (error && !data) return <ErrorState what="DMARC results" error={error} onRetry={() => void refetch()} />;
  if (data?.totals.reports === 0) {
    return (
      <>
        <NoReports dmarc={data} />
        {children}
      </>
    );
  }
  return (
    <>
      <Totals totals={data?.totals} />
      {data && (
        <>
          <Dropped dropped={data.dropped} />
          <NextPolicy dmarc={data} />
          <DmarcSources sources={data.sources} total={data.sources_total} />
          <Simulation simulation={data.simulation} current={data.policy.p} />
          <ByDay
            what="Messages"
            labels={{ good: 'Passed', bad: 'Failed' }}
            days={data.series.map(({ at, aligned, failed }) => ({ at, good: aligned, bad: failed }))}
          />
          {children}
        </>
      )}
    </>
  );
}

function Totals({ totals }: { totals: DomainDmarc['totals'] | undefined }) {
  const messages = totals?.messages ?? 0;
  const share = (part: number | undefined) =>
    part === undefined ? '\u00a0' : `${formatShare(part, messages)} of messages`;
  return (
    <Figures
      figures={[
        {
          key: 'messages',
          title: <StatusMark status="sent">Messages</StatusMark>,
          value: totals?.messages,
          caption: totals ? captionOf(totals) : '\u00a0',
        },
        {
          key: 'passed',
          title: <StatusMark status="delivered">Passed</StatusMark>,
          value: totals?.aligned,
          caption: share(totals?.aligned),
        },
        {
          key: 'failed',
          title: <StatusMark status="bounced">Failed</StatusMark>,
          value: totals?.failed,
          caption: share(totals?.failed),
        },
        {
          key: 'quarantined',
          title: <StatusMark status="deferred">Quarantined</StatusMark>,
          value: totals?.quarantined,
          caption: share(totals?.quarantined),
        },
        {
          key: 'rejected',
          title: <StatusMark status="failed">Rejected</StatusMark>,
          value: totals?.rejected,
          caption: share(totals?.rejected),
        },
      ]}
    />
  );
}

function captionOf({ reports, organisations, unknown }: DomainDmarc['totals']): string {
  const sent = `${formatPlural(reports, 'report')} of ${formatPlural(organisations, 'organization')}`;
  return unknown === 0 ? sent : `${sent}, ${formatCount(unknown)} without a result`;
}

function NoReports({ dmarc: { policy, recommendation, dropped } }: { dmarc: DomainDmarc }) {
  return (
    <>
      <Dropped dropped={dropped} />
      <div className={classes.empty}>
        <EmptyState title="No DMARC reports in this period">
          <p>
            Receiving servers send them once a day to the address in the DMARC record.{' '}
            {policy.reports_to_us
              ? 'Yours names this server. The first reports arrive within two days.'
              : 'Publish this one to get them here.'}
          </p>
          {!policy.reports_to_us && (
            <CodeBlock
              title="Publish this"
              hint="as TXT record at _dmarc"
              code={recommendation.record}
              what="the DMARC record"
            />
          )}
        </EmptyState>
      </div>
    </>
  );
}

/** The policy to publish next, why, and the record. */
function NextPolicy({ dmarc: { policy, recommendation } }: { dmarc: DomainDmarc }) {
  const { record, reason, evidence } = recommendation;
  const isPublished = policy.record === record;
  return (
    <section aria-labelledby="next-policy">
      <SectionHeading title="Recommended policy" id="next-policy" isUnderlined>
        <span className="mono">p={recommendation.policy}</span>
        {policy.p && policy.p !== recommendation.policy && <span className="quiet">now p={policy.p}</span>}
        {isPublished && (
          <StatusMark status="on">{policy.inherited_from === null ? 'Published' : 'Inherited'}</StatusMark>
        )}
      </SectionHeading>
      <div className={classes.next}>
        <div>
          <p>{reason}</p>
          <ul>
            {evidence.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
        <CodeBlock
          title={isPublished ? 'Published' : 'Publish this'}
          hint={isPublished && policy.inherited_from ? `at _dmarc.${policy.inherited_from}` : 'as TXT record at _dmarc'}
          code={record}
          what="the DMARC record"
        />
      </div>
    </section>
  );
}
