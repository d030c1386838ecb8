import { Button, Group, Menu } from '@mantine/core';
import { Cell, Clipped } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { RowMenu } from '@/components/row-controls/row-menu';
import { TimeAgo } from '@/components/values/time-ago';
import { formatPlural } from '@/lib/format';
import type { ConfiguredService, MailService, ServiceOperation } from '@/lib/mail/operations';
import type { MailServiceStatus } from '../schema';
import { SERVICE_MARKS, SERVICE_ROLES, SERVICE_TITLES } from './operation-texts';
import classes from './service-columns.module.css';

type Options = {
  isDisabled: boolean;
  /** Whose files are shown. */
  shown: ConfiguredService | null;
  onAct: (action: ServiceOperation, service: MailService) => void;
  onShowFiles: (service: ConfiguredService) => void;
};

export function serviceColumns({
  isDisabled,
  shown,
  onAct,
  onShowFiles,
}: Options): DataTableColumn<MailServiceStatus>[] {
  return [
    {
      header: 'Service',
      mobile: 'lead',
      cell: ({ service }) => (
        <span className="clip">
          <span className="strong">{SERVICE_TITLES[service]}</span>{' '}
          <span className="soft only-wide">{SERVICE_ROLES[service]}</span>
        </span>
      ),
    },
    {
      header: 'Status',
      width: 144,
      maxWidth: 256,
      mobile: 'side',
      cell: ({ state }) => <StatusMark status={SERVICE_MARKS[state][0]}>{SERVICE_MARKS[state][1]}</StatusMark>,
    },
    {
      header: 'Since',
      width: 88,
      maxWidth: 184,
      className: 'soft',
      cell: (row) => <Since row={row} />,
    },
    { header: 'Version', width: 88, maxWidth: 184, isOptional: true, cell: ({ version }) => version ?? '–' },
    {
      header: 'Configuration',
      width: 264,
      maxWidth: 480,
      mobile: 'under',
      cell: (row) => <Files row={row} isShown={row.service === shown} onShow={onShowFiles} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 120,
      kind: 'tail',
      mobile: 'tail',
      cell: (row) => <ServiceActions row={row} isDisabled={isDisabled} onAct={onAct} />,
    },
  ];
}

type ServiceActionsProps = { row: MailServiceStatus } & Pick<Options, 'isDisabled' | 'onAct'>;

/** A service that doesn't run has its restart in sight, which otherwise interrupts mail. */
function ServiceActions({ row: { service, state }, isDisabled, onAct }: ServiceActionsProps) {
  const title = SERVICE_TITLES[service];
  return (
    // The agent has none, and as much room, so that on a phone the states are below each other.
    <Group gap={4} wrap="nowrap" justify="flex-end" miw={28}>
      {service !== 'agent' && (state === 'stopped' || state === 'not_responding') && (
        <Button
          size="xs"
          disabled={isDisabled}
          aria-label={`Restart ${title}`}
          onClick={() => onAct('restart', service)}
        >
          Restart
        </Button>
      )}
      {service !== 'agent' && (
        <RowMenu label={`Actions: ${title}`}>
          {service !== 'redis' && (
            <Menu.Item disabled={isDisabled} onClick={() => onAct('reload', service)}>
              Reload…
            </Menu.Item>
          )}
          <Menu.Item className="danger" disabled={isDisabled} onClick={() => onAct('restart', service)}>
            Restart…
          </Menu.Item>
        </RowMenu>
      )}
    </Group>
  );
}

/** Since when it runs, or has been in its state. */
function Since({ row }: { row: MailServiceStatus }) {
  const at = row.state === 'running' && row.started_at ? row.started_at : row.since;
  return <TimeAgo iso={at} />;
}

type FilesProps = { row: MailServiceStatus; isShown: boolean; onShow: (service: ConfiguredService) => void };

function Files({ row: { service, drift, custom }, isShown, onShow }: FilesProps) {
  if (drift === null) return <StatusMark status="warning">Unknown</StatusMark>;
  if (drift.length === 0) {
    const own = custom.map((name) => `custom/${name}`).join(' and ');
    return <Clipped className="soft" text={own ? `Plus ${own}` : 'As Postroom wrote it'} />;
  }
  const [first] = drift;
  // The folder is that of the service.
  const name = drift.length === 1 && first ? first.path.split('/').at(-1) : formatPlural(drift.length, 'file');
  const text = `${name} ${drift.length === 1 ? 'was' : 'were'} changed`;
  return (
    <Cell>
      <StatusMark status="warning">{text}</StatusMark>
      <Button
        size="xs"
        className={classes.review}
        aria-expanded={isShown}
        aria-label={`${text}. ${isShown ? 'Hide' : 'Review'}: ${SERVICE_TITLES[service]}`}
        onClick={() => onShow(service)}
      >
        {isShown ? 'Hide' : 'Review'}
      </Button>
    </Cell>
  );
}
