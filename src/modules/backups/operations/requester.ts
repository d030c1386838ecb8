import { uuidv7 } from '@/lib/uuid';
import type { ActorContext, Context } from '@/server/procedures/context';

/** Who asked for an operation. */
export type Requester = {
  /** Null for the schedule and for commands. */
  admin: { id: string; email: string } | null;
  key: { id: string } | null;
  request: Context['request'];
};

export function requesterOf({ actor: { admin, key }, request }: ActorContext): Requester {
  return { admin: { id: admin.id, email: admin.email }, key: key && { id: key.id }, request };
}

/** @param userAgent `schedule`, or `command line` */
export function ownRequester(userAgent: string): Requester {
  const request = { id: uuidv7(), ip: '127.0.0.1', userAgent, idempotencyKey: null, cookies: '' };
  return { admin: null, key: null, request };
}
