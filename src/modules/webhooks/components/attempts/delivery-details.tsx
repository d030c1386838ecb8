'use client';

import { Button } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { IconRefresh } from '@/components/icons/icons';
import { Timeline } from '@/components/marks/timeline';
import { NearLink } from '@/components/near-link';
import { notify } from '@/components/notifications';
import { CodeBlock } from '@/components/values/code-block';
import { HttpText } from '@/components/values/json-text';
import type { Delivery, DeliveryAttempt, Webhook } from '../../schema';
import { attemptHops } from './attempt-hops';
import { formatDuration } from './attempt-labels';
import classes from './delivery-details.module.css';
import { DeliveryRequestBlock } from './delivery-request-block';
import { explainAttempt, explainNext } from './explain-attempt';

const SPACE_ABOVE_PX = 240;
const MIN_VISIBLE_PX = 96;

type DeliveryDetailsProps = { webhook: Webhook; delivery: Delivery };

export function DeliveryDetails({ webhook, delivery }: DeliveryDetailsProps) {
  const utils = trpc.useUtils();
  const panel = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<number | null>(null);
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  const { data: full, isError: isFailed, refetch } = useFullDelivery(delivery);
  const replay = trpc.webhooks.replay.useMutation({
    onSuccess: () => setSelected(null),
    onError: (error) => notify({ text: 'Couldn’t replay the delivery', problem: toProblem(error) }),
    onSettled: () => utils.webhooks.invalidate(),
  });
  useEffect(() => {
    if (panel.current) bringIntoView(panel.current);
  }, []);
  const { attempts, in_flight: isInFlight, status, stored_message_id: messageId } = delivery;
  const isInactive = !webhook.active;
  const attempt = attempts.find(({ number }) => number === selected) ?? attempts.at(-1);
  const isLast = attempt === attempts.at(-1);
  const explanation = attempt && explainAttempt(attempt);
  const next = isLast ? explainNext(delivery, isInactive) : null;

  return (
    <div ref={panel} className={classes.attempts}>
      <div className={classes.actions}>
        <p className="soft" aria-live="polite">
          {explanation && (
            <>
              <b className="strong">{explanation.title}</b> {explanation.text}{' '}
            </>
          )}
          {next}
        </p>
        {messageId && (
          <NearLink className="act" href={`/messages/${messageId}`}>
            View message
          </NearLink>
        )}
        <Button
          variant={status === 'delivered' ? 'default' : 'outline'}
          leftSection={<IconRefresh stroke={1.5} />}
          loading={replay.isPending}
          disabled={isInFlight || status === 'pending'}
          onClick={() => replay.mutate({ id: webhook.id, delivery_id: delivery.id })}
        >
          Replay now
        </Button>
      </div>
      <Timeline
        across
        label="Attempts for this delivery"
        hops={attemptHops({ delivery, selected: attempt?.number, isInactive, now, onSelect: setSelected })}
      />
      <div className={classes.exchange}>
        <DeliveryRequestBlock
          url={webhook.url}
          number={attempt?.number ?? 1}
          request={full?.request}
          isFailed={isFailed}
          onRetry={() => void refetch()}
        />
        {attempt ? (
          <DeliveryResponseBlock attempt={attempt} full={full} isFailed={isFailed} />
        ) : (
          <p className="soft">No response yet.</p>
        )}
      </div>
    </div>
  );
}

/** Scrolls only if the panel is out of sight or would fit whole, so that text being read doesn't move. */
function bringIntoView(panel: HTMLElement): void {
  const { top, bottom, height } = panel.getBoundingClientRect();
  const wouldFit = height + SPACE_ABOVE_PX < window.innerHeight && bottom > window.innerHeight;
  if (wouldFit || top > window.innerHeight - MIN_VISIBLE_PX) panel.scrollIntoView({ block: 'nearest' });
}

const RETRY_MS = 5_000;

/** The delivery with its request and full responses; a list has only the first line of each response. */
function useFullDelivery(delivery: Delivery) {
  return trpc.webhooks.delivery.useQuery(
    { id: delivery.webhook_id, delivery_id: delivery.id },
    {
      // The response to an attempt never changes, so this only loads attempts it doesn't have yet.
      enabled: ({ state }) => state.data === undefined || lastNumber(state.data) < lastNumber(delivery),
      staleTime: 0,
      refetchInterval: RETRY_MS,
    },
  );
}

function lastNumber({ attempts }: Delivery): number {
  return attempts.at(-1)?.number ?? 0;
}

type DeliveryResponseBlockProps = { attempt: DeliveryAttempt; full: Delivery | undefined; isFailed: boolean };

function DeliveryResponseBlock({ attempt, full, isFailed }: DeliveryResponseBlockProps) {
  const { number, status_code: code, duration_ms: durationMs, remote_address: from } = attempt;
  const answer = full?.attempts.find((one) => one.number === number)?.answer;
  const isTruncated = answer === undefined && isFailed;
  return (
    <>
      <CodeBlock
        title={code === null ? 'No response' : 'Response'}
        hint={isTruncated ? 'first line only' : hintOf(durationMs, from)}
        code={answer ?? attempt.answer}
        what="the response"
      >
        <HttpText text={answer ?? attempt.answer} />
      </CodeBlock>
      {/* After the block: on narrow screens only the last child has the height of its text, which would jump on loading. */}
      {code !== null && (
        <span className="sr-only" role="status">
          {isTruncated && 'Couldn’t load the rest of the response'}
        </span>
      )}
    </>
  );
}

function hintOf(tookMs: number, from: string | null): string {
  return from === null ? formatDuration(tookMs) : `${formatDuration(tookMs)}, from ${from}`;
}
