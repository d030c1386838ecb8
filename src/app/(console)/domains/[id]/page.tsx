import type { Metadata } from 'next';
import { DomainSendingRates } from '@/modules/analytics/components/lazy-sending-rates';
import { History } from '@/modules/audit/components/history/history';
import { DomainPage } from '@/modules/domains/components/domain-page';
import { DomainReports } from '@/modules/reports/components/domain-reports';

export const metadata: Metadata = { title: 'Domain' };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <DomainPage
      id={id}
      sent={<DomainSendingRates id={id} />}
      reports={<DomainReports id={id} />}
      history={<History resource={`domain:${id}`} />}
    />
  );
}
