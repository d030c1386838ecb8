import { Button } from '@mantine/core';
import { parse } from 'bowser';
import { Cell } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { Badge } from '@/components/text/badge';
import { TimeAgo } from '@/components/values/time-ago';
import type { Session } from '../../schema';

export function sessionColumns(onEnd: (session: Session) => void): DataTableColumn<Session>[] {
  return [
    {
      header: 'Browser',
      mobile: 'lead',
      skeletonWidth: 144,
      cell: ({ user_agent, current }) => (
        <Cell>
          <span className="clip" title={user_agent}>
            {browserOf(user_agent)}
          </span>
          {current && <Badge>Current</Badge>}
        </Cell>
      ),
    },
    {
      header: 'IP address',
      width: 152,
      mobile: 'under',
      skeletonWidth: 96,
      cell: ({ ip_address, created_at }) => (
        <Cell>
          <span className="mono clip">{ip_address}</span>
          <span className="only-narrow soft">
            <TimeAgo iso={created_at} />
          </span>
        </Cell>
      ),
    },
    {
      header: 'Signed in',
      width: 128,
      skeletonWidth: 88,
      className: 'soft',
      cell: ({ created_at }) => <TimeAgo iso={created_at} />,
    },
    {
      header: 'Ends',
      width: 128,
      isOptional: true,
      skeletonWidth: 88,
      className: 'soft',
      cell: ({ expires_at }) => <TimeAgo iso={expires_at} />,
    },
    {
      key: 'end',
      header: <span className="sr-only">End</span>,
      width: 108,
      kind: 'tail',
      mobile: 'tail',
      cell: (session) => (
        <Button
          size="xs"
          aria-label={session.current ? undefined : `End session: ${browserOf(session.user_agent)}`}
          onClick={() => onEnd(session)}
        >
          {session.current ? 'Sign out' : 'End session'}
        </Button>
      ),
    },
  ];
}

/** A readable name such as "Firefox 145 on Linux", or the user agent itself if it isn't a browser. */
function browserOf(userAgent: string): string {
  if (userAgent === '') return 'Unknown';
  const { browser, os } = parse(userAgent);
  if (!browser.name) return userAgent.slice(0, 80);
  const version = browser.version?.split('.')[0];
  return [browser.name, version, os.name && `on ${os.name}`].filter(Boolean).join(' ');
}
