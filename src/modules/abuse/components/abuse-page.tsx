'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { Figures } from '@/components/layout/figures';
import { loadPart } from '@/components/load-part';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import type { AbuseSummary } from '../schema';
import classes from './abuse-page.module.css';
import { Senders } from './senders';

const Thresholds = dynamic(() => loadPart(import('./thresholds').then((module) => module.Thresholds)), { ssr: false });

type AbusePageProps = {
  /** The dialog of another module that shows who changed the limits, while the URL has `history`. */
  history: ReactNode;
};

export function AbusePage({ history }: AbusePageProps) {
  const [domain] = useQueryState('domain', parseAsString);
  return (
    <Page>
      <PageHeader title="Abuse" description="Sending volume and rate limits" />
      <AbuseFigures />
      <Senders domainId={domain ?? undefined}>
        <div className={classes.limits}>
          <Thresholds />
        </div>
      </Senders>
      {history}
    </Page>
  );
}

const REFRESH_MS = 30_000;

const FIGURES: [keyof AbuseSummary, string, string, href?: string][] = [
  ['sent_last_hour', 'Last hour', 'messages'],
  ['sent_last_24h', '24 hours', 'messages'],
  ['limited_last_24h', 'Over limit', 'rejected in 24 hours'],
  ['suspended_mailboxes', 'Suspended', 'mailboxes in total', '/mailboxes?show=suspended'],
];

function AbuseFigures() {
  const { data, error, isError, refetch } = trpc.abuse.summary.useQuery({}, { refetchInterval: REFRESH_MS });
  if (isError && !data) return <ErrorState what="the summary" error={error} onRetry={() => void refetch()} />;
  return (
    <Figures
      figures={FIGURES.map(([key, title, caption, href]) => ({
        key,
        title,
        caption: href && data?.[key] ? <NearLink href={href}>{caption}</NearLink> : caption,
        value: data?.[key],
      }))}
    />
  );
}
