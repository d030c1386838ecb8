import type { DemoContext } from '../demo-context';
import { type DemoMailbox, INCIDENT_AGE_MS } from '../directory/mailboxes';
import { after, before, DAY_MS, HOUR_MS, inOfficeHours, MINUTE_MS } from '../time';
import type { DemoMessage } from './demo-message';
import { createOutbound } from './outbound';
import { conclude } from './outcomes';
import { acceptedBy, bouncedBy, DELETED_BY_ADMIN, randomCorrespondent, throttledBy } from './remote-servers';
import { sizeOf, subjectOf } from './subjects';

/** The server-wide hourly limit for one address. */
export const INCIDENT_MESSAGES = 200;

/** The address of who sends the spam. */
export const STRANGER = '203.0.113.66';

/** The messages that the owner of the mailbox sends in a week. */
const USUAL_MESSAGES = 24;

const LASTED_MS = 52 * MINUTE_MS;
const SUBJECT = 'Your parcel is waiting: confirm the delivery fee';

/**
 * A stolen mailbox password is used to send spam until the hourly limit suspends the mailbox. Most of it bounces; an admin
 * deletes most of what is still queued.
 */
export function planIncident(ctx: DemoContext, mailboxes: readonly DemoMailbox[]): DemoMessage[] {
  const { now, random } = ctx;
  const sender = mailboxes.find(({ isSuspended }) => isSuspended);
  if (!sender) return [];
  const { address: from, domain } = sender;
  const origin = { kind: 'smtp', login: from, clientAddress: STRANGER } as const;
  const usual = Array.from({ length: USUAL_MESSAGES }, (_, index) => {
    const at = inOfficeHours(random, now, (1.5 + index / 4) * DAY_MS);
    const to = randomCorrespondent(random);
    const about = { subject: subjectOf(random, 'person'), sizeBytes: sizeOf(random, 'person') };
    const login = { ...origin, clientAddress: '198.51.100.24' };
    const outbound = createOutbound(ctx, { at, domain, from, to: [to.address], origin: login, ...about });
    conclude(ctx, outbound, [to]);
    return outbound.message;
  });
  const cleanedAt = before(now, INCIDENT_AGE_MS - 2 * HOUR_MS);
  const spam = Array.from({ length: INCIDENT_MESSAGES }, (_, index) => {
    const at = before(now, INCIDENT_AGE_MS + LASTED_MS - (index / INCIDENT_MESSAGES) * LASTED_MS);
    const to = randomCorrespondent(random);
    const facts = { at, domain, from, to: [to.address], subject: SUBJECT, sizeBytes: random.int(5_100, 5_300), origin };
    const outbound = createOutbound(ctx, facts);
    const answeredAt = after(outbound.queue(), random.int(500, 4_000));
    const { message_id: messageId } = outbound.message.row;
    const outcome = random.weighted([
      ['bounced', 68],
      ['delivered', 12],
      ['deleted', 16],
      ['deferred', 4],
    ] as const);
    if (outcome === 'bounced') {
      outbound.report(to.address, 'bounced', answeredAt, bouncedBy(random, to.address, to.server));
    } else if (outcome === 'delivered') {
      outbound.report(to.address, 'delivered', answeredAt, acceptedBy(random, to.server, messageId, answeredAt));
    } else {
      outbound.report(to.address, 'deferred', answeredAt, throttledBy(to.server));
      const deletedAt = after(cleanedAt, index * 900);
      if (outcome === 'deleted') outbound.report(to.address, 'failed', deletedAt, DELETED_BY_ADMIN);
    }
    return outbound.message;
  });
  return [...usual, ...spam];
}
