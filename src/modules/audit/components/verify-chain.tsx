'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { AuditVerification } from '../schema';
import classes from './verify-chain.module.css';

const ON_REQUEST = { enabled: false, retry: false } as const;

/** Runs only on request: "Verify chain" reads what was sealed since the last verification, "Verify all" the whole chain. */
export function VerifyChain() {
  const recent = trpc.audit.verify.useQuery({}, ON_REQUEST);
  const whole = trpc.audit.verify.useQuery({ full: true }, ON_REQUEST);
  const { data, isError, error } = updatedAt(whole) > updatedAt(recent) ? whole : recent;
  const isVerifying = recent.isFetching || whole.isFetching;
  return (
    <>
      <span role="status">
        {!data && !isError && 'Changes, sign-ins and messages of admins and API keys, protected against later changes'}
        {data && !isError && <Verdict verdict={data} />}
        {isError && <StatusMark status="warning">{toProblem(error).message}</StatusMark>}
      </span>
      <button type="button" className={classes.verify} disabled={isVerifying} onClick={() => void recent.refetch()}>
        {isVerifying ? 'Verifying…' : data ? 'Verify again' : 'Verify chain'}
      </button>
      {data && !isVerifying && data.checked < data.sealed && (
        <button type="button" className={classes.verify} onClick={() => void whole.refetch()}>
          Verify all
        </button>
      )}
    </>
  );
}

function Verdict({ verdict }: { verdict: AuditVerification }) {
  const { valid, sealed, checked, untimely_entries: untimely, message } = verdict;
  if (!valid) return <StatusMark status="failed">Chain broken: {message}</StatusMark>;
  return (
    <StatusMark status={untimely > 0 ? 'warning' : 'on'}>
      Chain intact: {formatCount(sealed)} sealed entries{checked < sealed && `, ${formatCount(checked)} read now`}
      {untimely > 0 && `, ${formatCount(untimely)} with a time that doesn’t match their place`}
    </StatusMark>
  );
}

function updatedAt({ dataUpdatedAt, errorUpdatedAt }: { dataUpdatedAt: number; errorUpdatedAt: number }): number {
  return Math.max(dataUpdatedAt, errorUpdatedAt);
}
