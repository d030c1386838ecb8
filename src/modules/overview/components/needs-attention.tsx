import { useDisclosure } from '@mantine/hooks';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { IconChevronRight } from '@/components/icons/icons';
import { Notice } from '@/components/layout/notice';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { TextButton } from '@/components/text/text-button';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount, formatPlural } from '@/lib/format';
import type { Attention, Overview } from '../schema';
import { type AttentionRow, countObjects, rowsShownFirst } from './attention-row';
import { attentionRows } from './attention-rows';
import classes from './needs-attention.module.css';

type NeedsAttentionProps = { overview: Overview; attention: Attention; domain: string | null };

export function NeedsAttention({ overview, attention, domain }: NeedsAttentionProps) {
  const [isAll, { open: showAll }] = useDisclosure(false);
  const rows = attentionRows(overview, attention, domain);
  const { notifies_nobody: notifiesNobody } = attention;
  if (rows.length === 0 && !notifiesNobody) return <MailIsFlowing lastDeliveredAt={overview.last_delivered_at} />;
  const { problems, warnings } = countObjects(rows);
  const counts = [
    problems > 0 && formatPlural(problems, 'problem'),
    warnings > 0 && formatPlural(warnings, 'warning'),
  ].filter((text) => text !== false);
  const shown = isAll ? rows : rowsShownFirst(rows);
  return (
    <section aria-labelledby="needs-attention">
      <SectionHeading title="Needs attention" id="needs-attention" isUnderlined={rows.length > 0}>
        {rows.length > 0 && <span className="quiet">{counts.join(', ')}</span>}
        {notifiesNobody && <NobodyNotified />}
      </SectionHeading>
      {rows.length > 0 && (
        <DataTable
          caption="Needs attention, most severe first"
          columns={COLUMNS}
          rows={shown}
          rowKey={({ key }) => key}
          rowHref={({ href }) => href}
          hideHeader
        />
      )}
      {shown.length < rows.length && (
        <div className={classes.all}>
          <TextButton onClick={showAll}>Show all {formatCount(problems + warnings)}</TextButton>
        </div>
      )}
    </section>
  );
}

/** An admin who finds the list by chance should know that it was sent to nobody. */
function NobodyNotified() {
  return (
    <span className={classes.nobody}>
      <StatusMark status="warning">Nobody is notified</StatusMark>
      <NearLink className="act" href="/alerts?tab=notifications">
        Set addresses
      </NearLink>
    </span>
  );
}

/** The reason, and where the others of the kind are. */
function Reason({ row: { reason, more = [] } }: { row: AttentionRow }) {
  return (
    <>
      {reason}
      {more.map(({ text, href }) => (
        <NearLink key={href} className={`act ${classes.more}`} href={href}>
          {text}
        </NearLink>
      ))}
    </>
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
    cell: ({ status, label }) => <StatusMark status={status}>{label}</StatusMark>,
  },
  { key: 'object', header: 'Object', width: 88, cell: ({ object }) => object },
  {
    header: 'About',
    width: 264,
    maxWidth: 360,
    mobile: 'lead',
    cell: ({ status, label, subject }) => (
      <span className={classes.lead}>
        <span className="only-narrow">
          <StatusMark status={status}>{label}</StatusMark>
        </span>
        <Subject text={subject} />
      </span>
    ),
  },
  {
    header: 'Details',
    className: 'soft',
    cell: (row) => (
      <span className={`two-lines ${classes.details}`} title={row.reason}>
        <Reason row={row} />
      </span>
    ),
  },
  {
    header: 'Time',
    width: 92,
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
    cell: (row) => (
      <span className={classes.next}>
        <span className={classes.reason}>
          <Reason row={row} />
        </span>
        <NearLink className={`act ${classes.go}`} href={row.href}>
          {row.action}
          <IconChevronRight size={16} stroke={1.5} />
        </NearLink>
      </span>
    ),
  },
];
