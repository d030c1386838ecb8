import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { IconChevronRight } from '@/components/icons/icons';
import { Notice } from '@/components/layout/notice';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import type { Attention, Overview } from '../schema';
import type { AttentionRow } from './attention-row';
import { attentionRows } from './attention-rows';
import classes from './needs-attention.module.css';

type NeedsAttentionProps = { overview: Overview; attention: Attention; domain: string | null };

export function NeedsAttention({ overview, attention, domain }: NeedsAttentionProps) {
  const rows = attentionRows(overview, attention, domain);
  if (rows.length === 0) return <MailIsFlowing lastDeliveredAt={overview.last_delivered_at} />;
  return (
    <section aria-labelledby="needs-attention">
      <SectionHeading title="Needs attention" id="needs-attention" isUnderlined>
        <span className="quiet">{formatCount(rows.reduce((sum, { count = 1 }) => sum + count, 0))}</span>
      </SectionHeading>
      <DataTable
        caption="Needs attention, most severe first"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ key }) => key}
        rowHref={({ href }) => href}
        hideHeader
      />
    </section>
  );
}

/** An address, a domain or URL, or words. */
function Subject({ text }: { text: string }) {
  if (text.includes('@')) return <EmailAddress value={text} />;
  return (
    <span className={`clip ${classes.subject} ${/\s/.test(text) ? '' : 'mono'}`} title={text}>
      {text}
    </span>
  );
}

function MailIsFlowing({ lastDeliveredAt: at }: { lastDeliveredAt: string | null }) {
  if (at === null) return null;
  return (
    <Notice status="delivered" title="Mail is flowing">
      <p className="soft">
        Nothing needs attention. Last delivered message: <TimeAgo iso={at} />
      </p>
    </Notice>
  );
}

const COLUMNS: DataTableColumn<AttentionRow>[] = [
  {
    header: 'Status',
    width: 120,
    kind: 'mark',
    className: classes.mark,
    mobile: 'mark',
    cell: ({ status, label }) => <StatusMark status={status}>{label}</StatusMark>,
  },
  { key: 'object', header: 'Object', width: 88, cell: ({ object }) => object },
  {
    header: 'Subject',
    width: 264,
    maxWidth: 360,
    mobile: 'lead',
    cell: ({ subject }) => <Subject text={subject} />,
  },
  {
    header: 'Details',
    className: 'soft',
    cell: ({ reason }) => (
      <span className={`two-lines ${classes.details}`} title={reason}>
        {reason}
      </span>
    ),
  },
  {
    header: 'Time',
    width: 84,
    kind: 'figure',
    mobile: 'side',
    className: 'soft',
    cell: ({ at }) => at && <TimeAgo iso={at} />,
  },
  {
    header: 'Next step',
    width: 152,
    kind: 'tail',
    mobile: 'under',
    cell: ({ reason, href, action }) => (
      <span className={classes.next}>
        <span className={classes.reason}>{reason}</span>
        <NearLink className={`act ${classes.go}`} href={href}>
          {action}
          <IconChevronRight size={16} stroke={1.5} />
        </NearLink>
      </span>
    ),
  },
];
