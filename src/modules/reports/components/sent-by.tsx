import type { ReportSender } from '../schema';

/** Who sent a report by mail, for its list of details. */
export function SentBy({ sender }: { sender: ReportSender }) {
  if (!sender) return null;
  return (
    <>
      <dt>Sent by</dt>
      <dd className="wrap">
        {sender.domain}{' '}
        <span className="quiet">{sender.authenticated ? 'confirmed by DKIM or SPF' : 'not confirmed'}</span>
      </dd>
    </>
  );
}
