'use client';

import dynamic from 'next/dynamic';
import { Skeleton } from '@/components/marks/skeleton';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { ReferenceIntro } from './reference-intro';
import classes from './reference-page.module.css';

const ApiReference = dynamic(() => import('./api-reference').then((module) => module.ApiReference), {
  ssr: false,
  loading: () => (
    <div aria-busy="true" className={classes.skeleton}>
      {['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((key) => (
        <Skeleton key={key} />
      ))}
    </div>
  ),
});

export function ReferencePage() {
  return (
    <Page>
      <PageHeader
        title="API reference"
        description={
          <>
            <span>All endpoints. Try them here with your session or an API key</span>
            <a href="/api/v1/openapi.json" className="mono">
              /api/v1/openapi.json
            </a>
          </>
        }
      />
      <ReferenceIntro />
      <ApiReference />
    </Page>
  );
}
