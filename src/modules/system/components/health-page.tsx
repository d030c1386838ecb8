'use client';

import { Button } from '@mantine/core';
import { parseAsString } from 'nuqs';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { DataTable } from '@/components/data-table/data-table';
import { ErrorState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconRefresh } from '@/components/icons/icons';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { NearLink } from '@/components/near-link';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { useUrlState } from '@/components/url-state';
import { formatClock, formatCount, formatPlural } from '@/lib/format';
import { healthList } from '../lists';
import type { HealthCheck, ScheduledTask, SystemHealth } from '../schema';
import { checkColumns } from './check-columns';
import classes from './health-page.module.css';
import { Problems } from './problems';
import { TASK_COLUMNS } from './task-columns';

const CheckHistory = lazyDialog(() => import('./check-history').then((module) => module.CheckHistory));

const REFRESH_MS = 15_000;
const DAYS_REFRESH_MS = 5 * 60_000;
const GROUPS = ['Mail', 'Database', 'Background work', 'Machines', 'Instances'];

export function HealthPage() {
  const health = trpc.system.status.useQuery({}, { refetchInterval: REFRESH_MS, retry: false });
  const utils = trpc.useUtils();
  const check = trpc.system.checkNow.useMutation({
    onSuccess: (found) => utils.system.status.setData({}, found),
    onError: (error) => notify({ text: 'Couldn’t run the checks.', problem: toProblem(error) }),
  });
  const attention = trpc.overview.attention.useQuery({});
  // Everything appears at once, so that nothing moves.
  const isWaiting = attention.isPending && attention.failureCount === 0;
  const data = isWaiting ? undefined : health.data;
  const { values, open } = useUrlState({ history: parseAsString });
  const history = data?.checks.find((check) => keyOf(check) === values.history);
  const days = trpc.system.days.useQuery({}, { refetchInterval: DAYS_REFRESH_MS, retry: false });
  const columns = checkColumns({ days: days.data, onShowHistory: (check) => open({ history: keyOf(check) }) });

  return (
    <Page>
      <PageHeader
        title="Health"
        description={<Description health={data} openAlerts={attention.data?.open_alerts ?? 0} />}
      >
        <ExportButton list={healthList} />
        <Button leftSection={<IconRefresh stroke={1.75} />} loading={check.isPending} onClick={() => check.mutate({})}>
          Check now
        </Button>
      </PageHeader>
      {health.isError && <ErrorState what="the health" error={health.error} onRetry={() => void health.refetch()} />}
      {!data && !health.isError && <SettingsSkeleton heights={[120, 240, 160]} />}
      {data && (
        <>
          <Problems checks={data.checks} days={days.data} />
          {GROUPS.filter((group) => data.checks.some((check) => check.group === group)).map((group, index) => {
            const rows = data.checks.filter((check) => check.group === group);
            const isFirst = index === 0;
            return (
              <section key={group} aria-label={group}>
                <SectionHeading title={group} isUnderlined={!isFirst} />
                <DataTable
                  caption={`${group} checks`}
                  columns={columns}
                  rows={rows}
                  rowKey={keyOf}
                  hideHeader={!isFirst}
                />
              </section>
            );
          })}
          {data.tasks.length > 0 && <Tasks tasks={data.tasks} />}
        </>
      )}
      {history && <CheckHistory check={history} opened onClose={() => open({ history: null })} />}
    </Page>
  );
}

function keyOf({ name, subject }: HealthCheck): string {
  return `${name} ${subject}`.trim();
}

/** Folded while none has failed. */
function Tasks({ tasks }: { tasks: ScheduledTask[] }) {
  const failed = tasks.filter(({ failure }) => failure !== null).length;
  const state = failed > 0 ? `${formatCount(failed)} failed` : 'none failed';
  return (
    <section aria-label="Scheduled tasks">
      <details open={failed > 0} className={classes.tasks}>
        <summary>
          {formatPlural(tasks.length, 'scheduled task')}, {state}
        </summary>
        <DataTable
          caption="Scheduled tasks"
          columns={TASK_COLUMNS}
          rows={tasks}
          rowKey={({ name }) => name}
          expanded={({ failure }) => failure}
        />
      </details>
    </section>
  );
}

/** Alerts are about more than the checks. On phones a late link would move the buttons below it, and the navigation has the count. */
function Description({ health, openAlerts }: { health: SystemHealth | undefined; openAlerts: number }) {
  return (
    <>
      {descriptionOf(health)}
      {health && openAlerts > 0 && (
        <NearLink className="only-wide" href="/alerts">
          {formatPlural(openAlerts, 'open alert')}
        </NearLink>
      )}
    </>
  );
}

function descriptionOf(health: SystemHealth | undefined): string {
  if (!health) return 'Mail server, database, machines and what waits to be done';
  if (health.checks.length === 0) return 'The first checks are running.';
  const latest =
    health.checks
      .map(({ checked_at }) => checked_at)
      .sort()
      .at(-1) ?? '';
  return `${formatPlural(health.checks.length, 'check')}, the last at ${formatClock(latest)}. They run every 15 seconds.`;
}
