'use client';

import dynamic from 'next/dynamic';
import { loadPart } from '@/components/load-part';
import { SettingsSkeleton } from '@/components/settings-section';

/** The reports of a domain, whose code is loaded when they are shown. */
export const DomainReports = dynamic(() => loadPart(import('./reports-tab').then((module) => module.ReportsTab)), {
  ssr: false,
  loading: () => <SettingsSkeleton heights={[160, 360]} />,
});
