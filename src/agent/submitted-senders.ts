import type { Installation } from '@/mail/agent/installation';
import { log } from '@/server/log';
import { connectRedis } from '@/server/redis';

// Rspamd reads it while it checks the message, see rspamd.local.lua.
const PREFIX = 'postroom:sender:';
const KEPT_SECONDS = 600;

export type SubmittedSenders = ReturnType<typeof createSubmittedSenders>;

/** Tells the mail server which envelope senders submitted messages get, by a Redis connection of its own. */
export function createSubmittedSenders({ port, password }: Installation['redis']) {
  const redis = connectRedis(`redis://:${password}@127.0.0.1:${port}`, {
    answers: 'messages sent by SMTP get bounce addresses',
    away: 'messages sent by SMTP keep their envelope sender',
  });
  return {
    /** Changes the envelope sender of a message whose text the mail server has received and not accepted yet. */
    async change(queueId: string, address: string): Promise<void> {
      try {
        await redis.set(PREFIX + queueId, address, 'EX', KEPT_SECONDS);
      } catch (error) {
        // Only the status would not follow a late bounce, which comes to the sender.
        log.warn({ queue_id: queueId, error }, 'a message keeps its envelope sender');
      }
    },
    end: () => redis.disconnect(),
  };
}
