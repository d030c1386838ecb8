import { DateTime } from '@/components/date-time';
import { StatusMark } from '@/components/marks/status-mark';
import type { MailServerState } from '@/modules/mail-server/schema';
import type { DkimKey } from '../../dkim/schema';
import { DkimRecord } from './dkim-record';
import { KeyHead } from './key-head';

type ActiveKeyProps = { dkimKey: DkimKey; mailServer: MailServerState };

export function ActiveKey({ dkimKey, mailServer }: ActiveKeyProps) {
  return (
    <section className="dkim-key" aria-label={`Active key ${dkimKey.selector}`}>
      <KeyHead dkimKey={dkimKey} mark={<StatusMark status="on" />}>
        {dkimKey.activated_at && (
          <>
            since <DateTime iso={dkimKey.activated_at} />
          </>
        )}
      </KeyHead>
      <Arrival publishedAt={dkimKey.published_at} mailServer={mailServer} />
      <p className="soft">Without this record receivers take the signatures for broken, and some refuse the mail.</p>
      <DkimRecord {...dkimKey} />
    </section>
  );
}

function Arrival({ publishedAt, mailServer }: { publishedAt: string | null; mailServer: MailServerState }) {
  if (mailServer === 'silent') {
    return (
      <p className="soft">
        <b className="strong">The agent of the mail server is silent.</b>{' '}
        {publishedAt ? 'The mail server has this key.' : 'The mail server does not have this key yet.'} What changes
        here reaches it once the agent is back.
      </p>
    );
  }
  if (mailServer === 'none') {
    return (
      <p className="soft">
        <b className="strong">No mail server is attached.</b>{' '}
        {publishedAt
          ? 'The one that was has this key. What changes here reaches it once it is back.'
          : 'Its key signs nothing until one is, which then has it within seconds.'}
      </p>
    );
  }
  if (!publishedAt) {
    return (
      <p className="soft" role="status">
        The mail server does not have it yet. It is given the key within seconds.
      </p>
    );
  }
  return (
    <p className="soft" role="status">
      The mail server has it since <DateTime iso={publishedAt} />, and signs with it.
    </p>
  );
}
