'use client';

import { parseAsStringLiteral, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { PageTabs } from './page-tabs';

type RecordTabsProps = { label: string; isWaiting: boolean; history: ReactNode; children: ReactNode };

/** A record and its history, below a header with `hasTabs`. */
export function RecordTabs({ label, isWaiting, history, children }: RecordTabsProps) {
  const [tab, setTab] = useQueryState(
    'tab',
    parseAsStringLiteral(['details', 'history']).withDefault('details').withOptions({ history: 'push' }),
  );
  return (
    <PageTabs
      label={label}
      isWaiting={isWaiting}
      current={tab}
      onChange={(next) => void setTab(next)}
      tabs={{
        details: { title: 'Details', content: () => children },
        history: { title: 'History', content: () => history },
      }}
    />
  );
}
