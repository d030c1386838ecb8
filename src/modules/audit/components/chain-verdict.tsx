'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';

/** Reads the whole chain, so only when asked. */
export function ChainVerdict() {
  const verify = trpc.audit.verify.useQuery({}, { enabled: false, retry: false });
  const { data } = verify;
  return (
    <>
      <span role="status">
        {!data && !verify.isError && 'Every change, done or refused, sealed into a chain'}
        {data?.valid && <StatusMark status="on">Chain intact: {formatCount(data.sealed)} sealed entries</StatusMark>}
        {data && !data.valid && <StatusMark status="failed">Chain broken: {data.message}</StatusMark>}
        {verify.isError && <StatusMark status="warning">{toProblem(verify.error).message}</StatusMark>}
      </span>
      <button type="button" className="quiet-link" disabled={verify.isFetching} onClick={() => void verify.refetch()}>
        {verify.isFetching ? 'Reading it all …' : data ? 'Verify again' : 'Verify'}
      </button>
    </>
  );
}
