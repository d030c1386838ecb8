import { Notice } from '@/components/layout/notice';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { DateTime } from '@/components/values/date-time';
import type { MailServerState } from '@/modules/mail-server/schema';
import type { DkimKey } from '../../dkim/schema';
import type { DnsRecord } from '../../dns/schema';
import type { Domain } from '../../schema';
import { isProblem, labelOf, markOf, recordKey } from '../dns/dns-values';
import classes from './dkim.module.css';
import { DkimRecord } from './dkim-record';
import { KeyHeader } from './key-header';

type ActiveKeyProps = {
  domain: Domain;
  dkimKey: DkimKey;
  mailServer: MailServerState;
  /** The key's record as the last DNS check found it. */
  record: DnsRecord | undefined;
};

export function ActiveKey({ domain, dkimKey, mailServer, record }: ActiveKeyProps) {
  return (
    <section className={classes.key} aria-label={`Active key ${dkimKey.selector}`}>
      <KeyHeader dkimKey={dkimKey} mark={<StatusMark status="on" />}>
        {dkimKey.activated_at && (
          <>
            since <DateTime iso={dkimKey.activated_at} />
          </>
        )}
      </KeyHeader>
      {record && isProblem(record) && (
        <Notice status={markOf(record)} title={`${labelOf(record)} in DNS`}>
          <p>
            {record.message}{' '}
            <NearLink className="act" href={`/domains/${domain.id}?record=${encodeURIComponent(recordKey(record))}`}>
              Show the DNS record
            </NearLink>
          </p>
        </Notice>
      )}
      <PublicationStatus publishedAt={dkimKey.published_at} mailServer={mailServer} />
      <p className="soft">
        Without this record, signatures fail verification and some receiving servers reject the mail.
      </p>
      <DkimRecord {...dkimKey} />
    </section>
  );
}

function PublicationStatus({ publishedAt, mailServer }: { publishedAt: string | null; mailServer: MailServerState }) {
  if (mailServer === 'silent') {
    return (
      <p className="soft">
        <b className="strong">The mail agent is not responding.</b>{' '}
        {publishedAt ? 'The mail server has this key.' : 'The mail server does not have this key yet.'} Changes take
        effect once the agent is back.
      </p>
    );
  }
  if (mailServer === 'none') {
    return (
      <p className="soft">
        <b className="strong">No mail server is attached.</b>{' '}
        {publishedAt
          ? 'The previously attached mail server has this key. Changes take effect once it is back.'
          : 'Mail is not signed until one is attached. It then receives the key within seconds.'}
      </p>
    );
  }
  if (!publishedAt) {
    return (
      <p className="soft" role="status">
        The mail server does not have this key yet. It receives the key within seconds.
      </p>
    );
  }
  return (
    <p className="soft" role="status">
      The mail server has signed with this key since <DateTime iso={publishedAt} />.
    </p>
  );
}
