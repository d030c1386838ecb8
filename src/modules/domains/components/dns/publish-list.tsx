import { StatusMark } from '@/components/marks/status-mark';
import { DNS_PURPOSE_TEXTS } from '@/lib/mail/dns-purposes';
import type { Domain } from '../../schema';
import classes from './dns.module.css';
import { isToPublish, isUnset, labelOf, markOf, quietMarkOf, recordKey } from './dns-values';
import { RecordFields } from './record-values';
import type { DnsRow } from './use-dns';

type PublishListProps = { domain: Domain; rows: DnsRow[] };

/** Every record that is missing or wrong, in the fields that the form of a DNS provider has. */
export function PublishList({ domain, rows }: PublishListProps) {
  return (
    <ol className={classes.publish} aria-label="Records to publish">
      {rows.filter(isToPublish).map((record) => (
        <li key={recordKey(record)}>
          <div className={classes.publishHead}>
            <StatusMark status={domain.active ? markOf(record) : quietMarkOf(record)}>{labelOf(record)}</StatusMark>
            <b>{DNS_PURPOSE_TEXTS[record.purpose].label}</b>
            <span className="soft">
              {record.purpose === 'ptr' ? 'At the provider of your server' : DNS_PURPOSE_TEXTS[record.purpose].does}
              {isUnset(record) && ', optional'}
            </span>
          </div>
          <RecordFields record={record} expected={record.expected ?? ''} domain={domain.name} />
        </li>
      ))}
    </ol>
  );
}
