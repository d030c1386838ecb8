'use client';

import dynamic from 'next/dynamic';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { loadPart } from '@/components/load-part';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { PageTabs } from '@/components/page-tabs';
import { SettingsSkeleton } from '@/components/settings-section';
import { useAttention } from '@/components/shell/navigation/use-attention';
import { Page } from '@/components/shell/page';
import type { Alert } from '../schema';
import { AlertList } from './alert-list';
import { NOTIFICATION_HEIGHTS } from './alert-values';

const Notifications = dynamic(
  () => loadPart(import('./notifications/notifications').then((module) => module.Notifications)),
  {
    ssr: false,
    loading: () => <SettingsSkeleton heights={NOTIFICATION_HEIGHTS} />,
  },
);

const MuteDialog = lazyDialog(() => import('./mutes/mute-dialog').then((module) => module.MuteDialog));

/** Says that nobody is notified while alerts are open. On the line of the description, it moves nothing. */
function Description({ hasLink }: { hasLink: boolean }) {
  if (!useAttention().data?.notifies_nobody) return 'What needs attention, and who is notified';
  return (
    <>
      <StatusMark status="warning">Nobody is notified of open alerts</StatusMark>
      {hasLink && (
        <NearLink className="act" href="/alerts?tab=notifications">
          Set addresses
        </NearLink>
      )}
    </>
  );
}

export function AlertsPage() {
  const [tab, setTab] = useQueryState(
    'tab',
    parseAsStringLiteral(['list', 'notifications']).withDefault('list').withOptions({ history: 'push' }),
  );
  const [muting, setMuting] = useState<{ alert: Alert | null; opened: boolean }>({ alert: null, opened: false });
  const mute = (alert: Alert | null) => setMuting({ alert, opened: true });
  return (
    <Page>
      <PageHeader hasTabs title="Alerts" description={<Description hasLink={tab === 'list'} />} />
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
