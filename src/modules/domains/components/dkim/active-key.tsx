import { StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import type { MailServerState } from '@/modules/mail-server/schema';
import type { DkimKey } from '../../dkim/schema';
import classes from './dkim.module.css';
import { DkimRecord } from './dkim-record';
import { KeyHeader } from './key-header';

type ActiveKeyProps = { dkimKey: DkimKey; mailServer: MailServerState };

export function ActiveKey({ dkimKey, mailServer }: ActiveKeyProps) {
  return (
    <section className={classes.key} aria-label={`Active key ${dkimKey.selector}`}>
      <KeyHeader dkimKey={dkimKey} mark={<StatusMark status="on" />}>
        {dkimKey.activated_at && (
          <>
            since <DateTime iso={dkimKey.activated_at} />
          </>
        )}
      </KeyHeader>
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
