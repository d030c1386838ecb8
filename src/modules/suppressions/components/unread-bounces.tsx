import { trpc } from '@/components/api/trpc';
import { Notice } from '@/components/layout/notice';
import { formatCount, formatDay, formatFull, formatPlural } from '@/lib/format';
import type { DropReason, UnreadBounces as Unread } from '@/modules/messages/schema';

const SHOWN_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_LINES = 20;

/** Mail to bounce addresses and complaints that came in the last 7 days and changed nothing, and a download of what is kept of it. */
export function UnreadBounces({ domainId }: { domainId: string | null }) {
  const { data } = trpc.messages.unreadBounces.useQuery({ domain_id: domainId ?? undefined });
  const dropped = data?.dropped.filter(isShown) ?? [];
  if (!data || dropped.length === 0) return null;
  const count = dropped.reduce((sum, one) => sum + one.count, 0);
  return (
    <Notice
      status="pending"
      title={`${formatPlural(count, 'bounce or complaint', 'bounces and complaints')} couldn’t be matched to a message`}
    >
      <ul>
        {dropped.slice(0, MAX_LINES).map(({ domain_id: id, domain, reason, count: times, last_at: lastAt }) => (
          <li key={`${id} ${reason}`} className="soft">
            {formatCount(times)} for {domain ?? 'the mail host'}: {REASONS[reason]} Last on {formatDay(lastAt)}.
          </li>
        ))}
      </ul>
      <Kept unread={data.unread} />
    </Notice>
  );
}

/** Answers of people and programs are expected, and so is mail about messages that were deleted. */
function isShown({ reason, last_at: lastAt }: Unread['dropped'][number]): boolean {
  return reason !== 'message_deleted' && reason !== 'answer' && Date.now() - Date.parse(lastAt) < SHOWN_MS;
}

function Kept({ unread }: Pick<Unread, 'unread'>) {
  if (unread.length === 0) return null;
  return (
    <p>
      Kept for a day:{' '}
      {unread.map(({ id, received_at: receivedAt }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={`/api/v1/unread-bounces/${id}/raw`} download>
            {formatFull(receivedAt)}
          </a>
        </span>
      ))}
    </p>
  );
}

const REASONS: Record<DropReason, string> = {
  forged: 'the signature of the bounce address is invalid.',
  message_deleted: 'the message was deleted.',
  answer: 'an automatic answer, or mail of a person.',
  unreadable: 'Postroom can’t read the report.',
  other_recipient: 'the report is about an address that the message was not sent to.',
  no_message: 'the complaint, or the mail to unsubscribe, doesn’t show which message it is about.',
};
