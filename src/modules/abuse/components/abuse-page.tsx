'use client';

import dynamic from 'next/dynamic';
import { parseAsString, useQueryState } from 'nuqs';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { AbuseFigures } from './abuse-figures';
import classes from './abuse-page.module.css';
import { Senders } from './senders';

const Thresholds = dynamic(() => import('./thresholds').then((module) => module.Thresholds), { ssr: false });

export function AbusePage() {
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
    </Page>
  );
}
