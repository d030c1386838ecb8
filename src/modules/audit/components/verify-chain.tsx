'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import classes from './verify-chain.module.css';

/** Verification reads the entire chain, so it only runs on request. */
export function VerifyChain() {
  const verify = trpc.audit.verify.useQuery({}, { enabled: false, retry: false });
  const { data } = verify;
  return (
    <>
      <span role="status">
        {!data && !verify.isError && 'Successful and denied changes, sealed in a hash chain'}
        {data?.valid && <StatusMark status="on">Chain intact: {formatCount(data.sealed)} sealed entries</StatusMark>}
        {data && !data.valid && <StatusMark status="failed">Chain broken: {data.message}</StatusMark>}
        {verify.isError && <StatusMark status="warning">{toProblem(verify.error).message}</StatusMark>}
      </span>
      <button
        type="button"
        className={classes.verify}
        disabled={verify.isFetching}
        onClick={() => void verify.refetch()}
      >
        {verify.isFetching ? 'Verifying…' : data ? 'Verify again' : 'Verify'}
      </button>
    </>
  );
}
