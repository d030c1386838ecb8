import type { DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import type { AuditEntry } from '../schema';
import classes from './audit-columns.module.css';

const OUTCOME_MARKS: Record<AuditEntry['outcome'], [Status, string]> = {
  success: ['on', 'Success'],
  denied: ['bounced', 'Denied'],
  error: ['failed', 'Error'],
};

export function auditColumns(isNarrow: boolean, onOpen: (id: string) => void): DataTableColumn<AuditEntry>[] {
  const columns: (DataTableColumn<AuditEntry> | false)[] = [
    {
      key: 'outcome',
      header: 'Outcome',
      width: 112,
      kind: 'mark',
      mobile: 'mark',
      cell: (entry) => <Outcome {...entry} />,
    },
    {
      key: 'time',
      header: 'Time',
      width: 120,
      mobile: 'side',
      sortBy: 'created_at',
      skeletonWidth: 64,
      cell: ({ created_at }) => <DateTime iso={created_at} />,
    },
    {
      key: 'action',
      header: 'Action',
      width: 208,
      mobile: 'lead',
      skeletonWidth: 112,
      cell: ({ id, action }) => (
        <button type="button" className={`${classes.link} mono`} data-row={id} onClick={() => onOpen(id)}>
          {action}
        </button>
      ),
    },
    {
      key: 'actor',
      header: 'Actor',
      mobile: 'under',
      skeletonWidth: 160,
      cell: (entry) => <span className="clip">{actorOf(entry)}</span>,
    },
    !isNarrow && {
      key: 'resource',
      header: 'Resource',
      isOptional: true,
      skeletonWidth: 160,
      className: 'soft',
      cell: ({ resource }) => <span className="mono clip">{resource}</span>,
    },
    !isNarrow && {
      key: 'ip',
      header: 'IP address',
      width: 144,
      isOptional: true,
      skeletonWidth: 96,
      className: 'soft',
      cell: ({ ip_address }) => <span className="mono clip">{ip_address}</span>,
    },
  ];
  return columns.filter((column) => column !== false);
}

export function Outcome({ outcome }: Pick<AuditEntry, 'outcome'>) {
  const [status, label] = OUTCOME_MARKS[outcome];
  return <StatusMark status={status}>{label}</StatusMark>;
}

function actorOf({ admin_email: email, api_key_id: keyId, details }: AuditEntry): string {
  if (email === null) return details.source === 'command_line' ? 'Command line' : 'Not signed in';
  return keyId ? `${email} (API key)` : email;
}
