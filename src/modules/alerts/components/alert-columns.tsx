import { Menu } from '@mantine/core';
import { Cell, Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import type { ListColumn } from '@/components/data-table/data-table';
import { IconBellOff, IconCheck, IconEye, IconRotate } from '@/components/icons/icons';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { RowMenu } from '@/components/row-controls/row-menu';
import { selectColumn } from '@/components/selection/select-column';
import type { Selection } from '@/components/selection/use-selection';
import { useHasRole } from '@/components/shell/use-has-role';
import { Badge } from '@/components/text/badge';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import { routeOf } from '@/lib/routes';
import { isAboutSystem, shownSubject, subjectPath } from '@/lib/texts/alert-subject';
import { sentText } from '@/lib/texts/alert-texts';
import type { alertList } from '../lists';
import type { Alert } from '../schema';
import classes from './alert-columns.module.css';
import { KINDS, SEVERITIES, STATUSES } from './alert-values';
import { nextStep } from './next-step';

type SetStatus = (alert: Alert, status: Alert['status']) => void;

type AlertColumnsOptions = {
  selection: Selection<Alert>;
  onSetStatus: SetStatus;
  onMute: (alert: Alert) => void;
  isBusy: boolean;
};

export function alertColumns({
  selection,
  onSetStatus,
  onMute,
  isBusy,
}: AlertColumnsOptions): ListColumn<Alert, typeof alertList>[] {
  return [
    selectColumn({ selection, nameOf: nameOfAlert, mobile: 'mark' }),
    {
      header: 'Alert',
      width: 104,
      maxWidth: 152,
      skeletonWidth: 88,
      cell: ({ kind }) => <KindMark kind={kind} />,
    },
    {
      header: 'Severity',
      width: 72,
      maxWidth: 120,
      sortBy: 'severity',
      isOptional: true,
      skeletonWidth: 48,
      cell: ({ severity }) => (
        <span className={severity === 'critical' ? undefined : 'soft'}>{SEVERITIES[severity]}</span>
      ),
    },
    {
      header: 'About',
      width: 256,
      maxWidth: 360,
      kind: 'copyable',
      mobile: 'lead',
      skeletonWidth: 160,
      cell: (alert) => <Subject alert={alert} />,
    },
    {
      header: 'Details',
      mobile: 'under',
      skeletonWidth: 240,
      cell: (alert) => (
        <Cell>
          <span className={`only-narrow ${classes.narrow}`}>
            <KindMark kind={alert.kind} />
            <span className="soft">
              {SEVERITIES[alert.severity]}, <TimeAgo iso={alert.created_at} />
            </span>
          </span>
          <span className={classes.details}>
            {describe(alert)}
            <ChangedBy alert={alert} />
            <span className={`only-narrow ${classes.next}`}>
              <NextStep alert={alert} />
            </span>
          </span>
          {alert.status !== 'open' && <Badge>{STATUSES[alert.status]}</Badge>}
          {alert.muted && alert.status !== 'closed' && <Badge>Muted</Badge>}
        </Cell>
      ),
    },
    {
      header: 'Raised',
      width: 80,
      maxWidth: 136,
      sortBy: 'created_at',
      kind: 'figure',
      className: 'soft',
      skeletonWidth: 56,
      cell: ({ created_at }) => <TimeAgo iso={created_at} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Next step, acknowledge, close or mute</span>,
      width: 184,
      kind: 'tail',
      mobile: 'tail',
      skeletonWidth: 120,
      cell: (alert) => <AlertActions alert={alert} onSetStatus={onSetStatus} onMute={onMute} isBusy={isBusy} />,
    },
  ];
}

/** The page of what an alert is about, if the admin has access to it. */
function usePath({ kind, subject, mailbox_id: mailboxId, domain_id: domainId }: Alert): string | null {
  const path = subjectPath({ kind, subject, mailboxId, domainId });
  const canOpen = useHasRole(routeOf(path ?? '/')?.minRole ?? 'super_admin');
  return canOpen ? path : null;
}

function Subject({ alert }: { alert: Alert }) {
  const { subject, kind } = alert;
  const path = usePath(alert);
  if (isAboutSystem(kind)) {
    const name = <Clipped text={subject} />;
    return path ? <RowLink href={path}>{name}</RowLink> : name;
  }
  const shown = <EmailAddress value={shownSubject(alert)} />;
  return (
    <Copyable value={subject} what={subject.startsWith('https:') ? 'URL' : 'address'}>
      {path ? <RowLink href={path}>{shown}</RowLink> : shown}
    </Copyable>
  );
}

/** Leads to where the cause is found or fixed. */
function NextStep({ alert }: { alert: Alert }) {
  const path = usePath(alert);
  const step = nextStep(alert, path);
  if (alert.status === 'closed' || !step) return null;
  return (
    <NearLink className="act" href={step.href}>
      {step.label}
    </NearLink>
  );
}

/** Says who acknowledged or closed an alert. */
function ChangedBy({ alert: { status, changed_by: by, resolved } }: { alert: Alert }) {
  if (!by || status === 'open' || resolved) return null;
  return (
    <span className={classes.by}>
      {STATUSES[status]} by {by.email}
    </span>
  );
}

function KindMark({ kind }: { kind: Alert['kind'] }) {
  return <StatusMark status={KINDS[kind][0]}>{KINDS[kind][1]}</StatusMark>;
}

export function nameOfAlert({ kind, subject }: Alert): string {
  return `${KINDS[kind][1]}: ${subject}`;
}

function describe({ kind, count, expected, message, details }: Alert): string {
  // The summary repeats the subject and the kind.
  if (isAboutSystem(kind) || kind === 'dns_broken') return details;
  if (kind === 'content_store') return message;
  if (kind === 'webhook_failing') return `${formatCount(count)} failed attempts in a row.`;
  if (kind === 'wrong_passwords') return `${formatCount(count)} different wrong passwords in 15 minutes.`;
  return sentText({ kind, count, expected, text: details });
}

const ACKNOWLEDGE = { status: 'acknowledged', label: 'Acknowledge', Icon: IconEye } as const;
const CLOSE = { status: 'closed', label: 'Close', Icon: IconCheck } as const;
const REOPEN = { status: 'open', label: 'Reopen', Icon: IconRotate } as const;

function nextStatuses({ status }: Alert) {
  if (status === 'closed') return [REOPEN];
  return status === 'open' ? [ACKNOWLEDGE, CLOSE] : [CLOSE];
}

type AlertActionsProps = Omit<AlertColumnsOptions, 'selection'> & { alert: Alert };

function AlertActions({ alert, onSetStatus, onMute, isBusy }: AlertActionsProps) {
  return (
    <span className={classes.actions}>
      <span className="only-wide">
        <NextStep alert={alert} />
      </span>
      <RowMenu label={`More actions for ${nameOfAlert(alert)}`}>
        {nextStatuses(alert).map(({ status, label, Icon }) => (
          <Menu.Item
            key={status}
            leftSection={<Icon size={16} stroke={1.5} />}
            disabled={isBusy}
            onClick={() => onSetStatus(alert, status)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Item leftSection={<IconBellOff size={16} stroke={1.5} />} onClick={() => onMute(alert)}>
          Mute…
        </Menu.Item>
      </RowMenu>
    </span>
  );
}
