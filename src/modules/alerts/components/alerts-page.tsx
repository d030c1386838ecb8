'use client';

import dynamic from 'next/dynamic';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { PageHeader } from '@/components/page-header';
import { PageTabs } from '@/components/page-tabs';
import { Page } from '@/components/shell/page';
import type { Alert } from '../schema';
import { AlertList } from './alert-list';

const Notifications = dynamic(() => import('./notifications/notifications').then((module) => module.Notifications), {
  ssr: false,
});

const MuteDialog = lazyDialog(() => import('./mutes/mute-dialog').then((module) => module.MuteDialog));

export function AlertsPage() {
  const [tab, setTab] = useQueryState(
    'tab',
    parseAsStringLiteral(['list', 'notifications']).withDefault('list').withOptions({ history: 'push' }),
  );
  const [muting, setMuting] = useState<{ alert: Alert | null; opened: boolean }>({ alert: null, opened: false });
  const mute = (alert: Alert | null) => setMuting({ alert, opened: true });
  return (
    <Page>
      <PageHeader hasTabs title="Alerts" description="What needs attention, and who is notified" />
      <PageTabs
        label="Alerts"
        isWaiting={false}
        current={tab}
        onChange={(next) => void setTab(next)}
        tabs={{
          list: { title: 'Alerts', content: () => <AlertList onMute={mute} /> },
          notifications: { title: 'Notifications', content: () => <Notifications onMute={() => mute(null)} /> },
        }}
      />
      <MuteDialog {...muting} onClose={() => setMuting({ ...muting, opened: false })} />
    </Page>
  );
}
