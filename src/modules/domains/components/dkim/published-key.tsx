import { StatusMark } from '@/components/marks/status-mark';
import { RawText } from '@/components/text/raw-text';
import type { DkimLookup } from '../../dkim/schema';
import { statusLabel } from '../dns/dns-values';

type PublishedKeyProps = { lookup: DkimLookup | undefined; isFailed: boolean };

/** Shows the DNS record of a key that is about to sign. */
export function PublishedKey({ lookup, isFailed }: PublishedKeyProps) {
  if (isFailed) return <StatusMark status="warning">The lookup of the record failed.</StatusMark>;
  if (!lookup) return <p className="soft">Looking up the record…</p>;
  const { status, message, fix, found } = lookup;
  return (
    <div role="status">
      <StatusMark status={status === 'ok' ? 'on' : status === 'temporary_error' ? 'warning' : 'bounced'}>
        {status === 'ok' ? 'Published' : statusLabel(status)}
      </StatusMark>
      <p className="soft">
        {message} {fix}
      </p>
      {status !== 'ok' && found.length > 0 && <RawText>{found.join('\n')}</RawText>}
    </div>
  );
}
