'use client';

import { Button } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import Link from 'next/link';
import { useEffect, useRef, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { Timeline } from '@/components/marks/timeline';
import type { Delivery, Webhook } from '../../schema';
import type { Say } from '../use-webhook-actions';
import { attemptHops } from './attempt-hops';
import { DeliveryAnswerBlock } from './delivery-answer-block';
import { meaningOf, outlookOf } from './delivery-meaning';
import { DeliveryRequestBlock } from './delivery-request-block';
import { useWholeDelivery } from './use-whole-delivery';

const ROOM_ABOVE_PX = 240;
const LEAST_SEEN_PX = 96;

type DeliveryDetailsProps = { webhook: Webhook; delivery: Delivery; say: Say };

export function DeliveryDetails({ webhook, delivery, say }: DeliveryDetailsProps) {
  const utils = trpc.useUtils();
  const panel = useRef<HTMLDivElement>(null);
  const [picked, setPicked] = useState<number | null>(null);
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  const { data: whole, isError: isFailed, refetch } = useWholeDelivery(delivery);
  const replay = trpc.webhooks.replay.useMutation({
    onSuccess: () => setPicked(null),
    onError: (error) => say('It could not be sent again', { problem: toProblem(error) }),
    onSettled: () => utils.webhooks.invalidate(),
  });
  useEffect(() => {
    if (panel.current) bringIntoView(panel.current);
  }, []);
  const { attempts, in_flight: isUnderWay, status, stored_message_id: messageId } = delivery;
  const isHeld = !webhook.active;
  const attempt = attempts.find(({ number }) => number === picked) ?? attempts.at(-1);
  const isLast = attempt === attempts.at(-1);
  const meaning = attempt && meaningOf(attempt);
  const outlook = isLast ? outlookOf(delivery, isHeld) : null;

  return (
    <div ref={panel} className="attempts">
      <Timeline
        across
        label="Attempts of this delivery"
        hops={attemptHops({ delivery, picked: attempt?.number, isHeld, now, onPick: setPicked })}
      />
      <div className="exchange">
        <DeliveryRequestBlock
          url={webhook.url}
          number={attempt?.number ?? 1}
          request={whole?.request}
          isFailed={isFailed}
          onRetry={() => void refetch()}
        />
        {attempt ? (
          <DeliveryAnswerBlock attempt={attempt} whole={whole} isFailed={isFailed} />
        ) : (
          <p className="soft">Nothing is answered yet.</p>
        )}
      </div>
      <div className="attempts-footer">
        <p className="soft" aria-live="polite">
          {meaning && (
            <>
              <b className="strong">{meaning.title}</b> {meaning.text}{' '}
            </>
          )}
          {outlook}
        </p>
        {messageId && (
          <Link className="act" href={`/messages/${messageId}`}>
            Its message
          </Link>
        )}
        <Button
          variant={status === 'delivered' ? 'default' : 'outline'}
          leftSection={<IconRefresh stroke={1.5} />}
          loading={replay.isPending}
          disabled={isUnderWay || status === 'pending'}
          onClick={() => replay.mutate({ id: webhook.id, delivery_id: delivery.id })}
        >
          Replay now
        </Button>
      </div>
    </div>
  );
}

/** Where it is out of sight, or would be seen whole; what is begun to be read does not move. */
function bringIntoView(panel: HTMLElement): void {
  const { top, bottom, height } = panel.getBoundingClientRect();
  const isFitting = height + ROOM_ABOVE_PX < window.innerHeight && bottom > window.innerHeight;
  if (isFitting || top > window.innerHeight - LEAST_SEEN_PX) panel.scrollIntoView({ block: 'nearest' });
}
