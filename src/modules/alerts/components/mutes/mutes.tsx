'use client';

import { Button, Group } from '@mantine/core';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { IconBell, IconBellOff } from '@/components/icons/icons';
import { notify } from '@/components/notifications';
import { DateTime } from '@/components/values/date-time';
import { TimeAgo } from '@/components/values/time-ago';
import { MAX_MUTES } from '../../lists';
import type { AlertMute } from '../../mutes/schema';
import { KINDS, SEVERITIES } from '../alert-values';
import classes from './mutes.module.css';

/** Queries the mutes in effect now. */
export const useMutes = () => trpc.alerts.mutes.useQuery({ limit: MAX_MUTES });

/** The mutes in effect, each with who made it and when it ends. */
export function Mutes({ onMute }: { onMute: () => void }) {
  const list = useMutes();
  if (list.isError) return <ErrorState what="muted alerts" error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <>
      {list.data?.items.length === 0 && <p className="soft">No alerts are muted.</p>}
      {list.data && list.data.items.length > 0 && (
        <ul className={classes.mutes} aria-label="Muted alerts">
          {list.data.items.map((mute) => (
            <MuteItem key={mute.id} mute={mute} />
          ))}
        </ul>
      )}
      <Group>
        <Button leftSection={<IconBellOff stroke={1.75} />} onClick={onMute}>
          Mute alerts
        </Button>
      </Group>
    </>
  );
}

function MuteItem({ mute }: { mute: AlertMute }) {
  const utils = trpc.useUtils();
  const name = nameOf(mute);
  const muteAgain = trpc.alerts.mute.useMutation({
    onSuccess: () => notify({ text: `Muted ${name} again` }),
    onError: (error) => notify({ text: `Couldn’t mute ${name} again`, problem: toProblem(error) }),
    onSettled: () => utils.alerts.invalidate(),
  });
  const unmute = trpc.alerts.unmute.useMutation({
    onSuccess: async () => {
      await utils.alerts.invalidate();
      notify({ text: `Unmuted ${name}`, undo: () => muteAgain.mutate(sameMute(mute)), takesFocus: true });
    },
    onError: (error) => notify({ text: `Couldn’t unmute ${name}`, problem: toProblem(error) }),
  });
  const { ends_at: end, created_by: by, created_at: at, reason } = mute;
  return (
    <li>
      <div className={classes.text}>
        <b className="wrap">{name}</b>
        <span className="soft wrap">
          {end ? (
            <>
              Until <DateTime iso={end} />
            </>
          ) : (
            'Until somebody unmutes them'
          )}
          {' · muted '}
          <TimeAgo iso={at} /> by {by.email}
        </span>
        {reason && <span className="wrap">{reason}</span>}
      </div>
      <Button
        leftSection={<IconBell stroke={1.5} />}
        loading={unmute.isPending}
        aria-label={`Unmute ${name}`}
        onClick={() => unmute.mutate({ id: mute.id })}
      >
        Unmute
      </Button>
    </li>
  );
}

function sameMute({ kind, severity, domain_id, subject, reason, ends_at }: AlertMute) {
  return { kind, severity, domain_id, subject, reason, ends_at };
}

/** Describes a mute, such as "DNS records, Critical, acme.example". */
function nameOf({ kind, severity, domain, subject }: AlertMute): string {
  const parts = [
    kind && KINDS[kind][2],
    severity && SEVERITIES[severity],
    subject,
    domain !== subject && domain && `domain ${domain}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'all alerts';
}
