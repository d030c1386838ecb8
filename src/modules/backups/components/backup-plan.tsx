'use client';

import { Box } from '@mantine/core';
import { ErrorState } from '@/components/data-table/states';
import { Figures } from '@/components/layout/figures';
import { Notice } from '@/components/layout/notice';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { DetailsList } from '@/components/text/details-list';
import { PathText } from '@/components/text/path-text';
import { TimeAgo } from '@/components/values/time-ago';
import { formatPlural } from '@/lib/format';
import type { BackupPlan as Plan } from '../schema';
import { amountOf } from './texts';

type BackupPlanProps = { query: { data: Plan | undefined; error: unknown; refetch: () => unknown } };

/** When the last backup was made and proven, when the next one is due, and what opens them. */
export function BackupPlan({ query: { data: plan, error, refetch } }: BackupPlanProps) {
  if (error && !plan) return <ErrorState what="the plan of backups" error={error} onRetry={() => void refetch()} />;
  const { last_completed: completed, last_proven: proven } = plan ?? {};
  return (
    <>
      {plan?.location.startsWith('/') && <OnlyHere plan={plan} />}
      <Figures
        figures={[
          {
            key: 'last',
            title: 'Last database backup',
            value: plan && (completed ? <TimeAgo iso={completed.started_at} /> : 'None'),
            caption: completed ? amountOf(completed) : 'No backup was completed yet',
          },
          {
            key: 'proven',
            title: 'Last proven restore',
            value: plan && (proven?.proof.at ? <TimeAgo iso={proven.proof.at} /> : 'None'),
            caption: proven?.proof.message ?? 'No archive was restored to prove it yet',
          },
          {
            key: 'next',
            title: 'Next database backup',
            value: plan && (plan.schedule ? <TimeAgo iso={plan.schedule.next_run_at} /> : 'Off'),
            caption: plan && (plan.schedule ? `Daily at ${plan.schedule.time} UTC, then proven` : <ScheduleOff />),
          },
        ]}
      />
      {plan && (
        <Box pt="md">
          <DetailsList>
            <dt>Stored in</dt>
            <dd>
              <span className="mono">
                <PathText>{plan.location}</PathText>
              </span>
            </dd>
            <dt>Kept</dt>
            <dd>{keptText(plan.retention)}</dd>
            <dt>Encrypted with</dt>
            <dd>
              <span>
                {plan.encryption.kind === 'passphrase' ? (
                  <span className="mono">BACKUP_PASSPHRASE</span>
                ) : (
                  <>
                    The key in{' '}
                    <span className="mono">
                      <PathText>{plan.encryption.key_file}</PathText>
                    </span>
                    {plan.encryption.recipients.length > 1 && ', and those of BACKUP_RECIPIENTS'}
                  </>
                )}
                . Keep a copy outside this machine: without it no backup can be opened.
              </span>
            </dd>
          </DetailsList>
        </Box>
      )}
    </>
  );
}

/** Says that the loss of this machine takes the archives too, and what to do about it. */
function OnlyHere({ plan: { encryption } }: { plan: Plan }) {
  return (
    <Box pt="md">
      <Notice status="warning" title="Database backups are only on this machine">
        <p>
          If its disk fails, {encryption.kind === 'passphrase' ? 'they are' : 'they and the key that opens them are'}{' '}
          lost with everything else. Store them in a bucket:{' '}
          <NearLink href="/system/config?q=BACKUP_TARGET">Set BACKUP_TARGET</NearLink>. Or copy the folder to another
          machine.
        </p>
      </Notice>
    </Box>
  );
}

/** Says which backups are kept, such as "One scheduled backup per day for 7 days, per week for 4 weeks". */
function keptText({ daily, weekly, monthly }: Plan['retention']): string {
  const spans = Object.entries({ day: daily, week: weekly, month: monthly }).flatMap(([unit, count]) =>
    count > 0 ? `per ${unit} for ${formatPlural(count, unit)}` : [],
  );
  return spans.length === 0 ? 'All of them' : `One scheduled backup ${spans.join(', ')}`;
}

/** Says that nothing is backed up by itself, and leads to the setting. */
function ScheduleOff() {
  return (
    <StatusMark status="warning">
      <NearLink href="/system/config?q=BACKUP_TIME">BACKUP_TIME is off</NearLink>
    </StatusMark>
  );
}
