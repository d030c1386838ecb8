import type { DemoContext } from '../demo-context';
import type { Weighted } from '../random';
import { after, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time';
import type { Reply } from './demo-message';
import type { Outbound } from './outbound';
import {
  acceptedBy,
  bouncedBy,
  type Correspondent,
  DELETED_BY_ADMIN,
  deferredBy,
  expired,
  MISSPELT_DOMAIN,
  ownRefusal,
} from './remote-servers';

const QUEUE_LIFETIME_MS = 5 * DAY_MS;
/** Most deferred messages older than this are delivered or returned by now. */
const OPEN_FOR_MS = 30 * HOUR_MS;

const LOST = [
  'The mail server did not respond in time.',
  'The mail server closed the connection.',
  'Postroom stopped before the mail server replied.',
];

/** Applies everything that would have happened to a message by now. */
export function conclude(ctx: DemoContext, outbound: Outbound, to: readonly Correspondent[]): void {
  const { random } = ctx;
  const fate = random.weighted([
    ['queued', 993],
    ['refused', 5],
    ['lost', 2],
  ] as const);
  // Messages submitted by SMTP have a row only once they are queued.
  const isByApi = outbound.message.sender !== null;
  if (isByApi && fate === 'refused') outbound.refuse(ownRefusal(random));
  else if (isByApi && fate === 'lost') outbound.lose(random.pick(LOST));
  else {
    const queuedAt = outbound.queue();
    for (const correspondent of to) concludeRecipient(ctx, outbound, correspondent, queuedAt);
  }
}

type Step = { at: Date; kind: Parameters<Outbound['report']>[1]; reply: Reply };

function concludeRecipient(ctx: DemoContext, outbound: Outbound, to: Correspondent, queuedAt: Date): void {
  for (const { at, kind, reply } of stepsOf(ctx, outbound, to, queuedAt)) {
    if (at < ctx.now) outbound.report(to.address, kind, at, reply);
  }
}

/** The final outcome for one recipient, now or later. */
function stepsOf({ random, now }: DemoContext, outbound: Outbound, to: Correspondent, queuedAt: Date): Step[] {
  const { address, server } = to;
  const { message_id: messageId } = outbound.message.row;
  const isRecent = now.getTime() - queuedAt.getTime() < OPEN_FOR_MS;
  const firstAt = after(queuedAt, random.int(350, 5_800));
  const accepted = (at: Date): Step => ({ at, kind: 'delivered', reply: acceptedBy(random, server, messageId, at) });
  const bounced = (at: Date): Step => ({ at, kind: 'bounced', reply: bouncedBy(random, address, server) });
  if (server.domain === MISSPELT_DOMAIN || random.chance(0.021)) return [bounced(firstAt)];
  if (!random.chance(isRecent ? 0.085 : 0.045)) return [accepted(firstAt)];
  const deferral: Step = { at: firstAt, kind: 'deferred', reply: deferredBy(random, address, server) };
  if (isRecent && random.chance(0.45)) return [deferral];
  const nextAt = after(firstAt, random.int(5 * 60, 75 * 60) * SECOND_MS);
  const endAt = after(queuedAt, QUEUE_LIFETIME_MS + random.int(0, 20) * MINUTE_MS);
  const ends: Weighted<Step> = [
    [accepted(nextAt), 86],
    [{ at: endAt, kind: 'failed', reply: expired(deferral.reply) }, 6],
    [bounced(nextAt), 5],
    [{ at: nextAt, kind: 'failed', reply: DELETED_BY_ADMIN }, 3],
  ];
  return [deferral, random.weighted(ends)];
}
