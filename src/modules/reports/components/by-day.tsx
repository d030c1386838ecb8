import { ByTime } from '@/components/charts/by-time';
import { SectionHeading } from '@/components/layout/section-heading';
import { formatDate } from '@/lib/format';

type Day = { at: string; good: number; bad: number };

type ByDayProps = { days: Day[]; labels: { good: string; bad: string }; what: string };

/** Two figures by day. */
export function ByDay({ days, labels, what }: ByDayProps) {
  return (
    <section aria-labelledby="by-day">
      <SectionHeading title="By day" id="by-day" isUnderlined>
        <span className="quiet">{what}, days in UTC. A report about several days counts on the one in the middle.</span>
      </SectionHeading>
      <ByTime
        rows={days.map(({ at, good, bad }) => ({ at, label: formatDate(at), values: { good, bad } }))}
        series={[
          { name: 'good', label: labels.good, color: 'var(--postmark)' },
          { name: 'bad', label: labels.bad, color: 'var(--bounced)' },
        ]}
        timeHeader="Day"
        label={`${what} by day`}
      />
    </section>
  );
}
