'use client';

import dynamic from 'next/dynamic';
import { PageHead } from '@/components/page-head';
import { Page } from '@/components/shell/page';

const ApiReference = dynamic(() => import('./api-reference').then((module) => module.ApiReference), {
  ssr: false,
  loading: () => (
    <div aria-busy="true" className="reference-bones">
      {['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map((key) => (
        <span key={key} className="bone" />
      ))}
    </div>
  ),
});

export function ReferencePage() {
  return (
    <Page>
      <PageHead
        title="API reference"
        lede={
          <>
            <span>Every call, to be tried out here with your session or a key</span>
            <a href="/api/v1/openapi.json" className="mono">
              /api/v1/openapi.json
            </a>
          </>
        }
      />
      <ApiReference />
    </Page>
  );
}
