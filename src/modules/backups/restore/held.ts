import type { ClientBase } from 'pg';
import { formatPlural } from '@/lib/format';

/**
 * Holds the scheduled messages of an archive: since it was made, they may have been sent. One that was being sent then is settled
 * like one whose process ended. @returns how many are held
 */
export async function holdScheduled(client: ClientBase): Promise<number> {
  const { rowCount } = await client.query(`
    WITH under_way AS (
      DELETE FROM scheduled_message s USING message m WHERE m.id = s.message_id AND m.status <> 'scheduled'
    ), held AS (
      UPDATE scheduled_message s SET next_attempt_at = NULL, lease_token = NULL
        FROM message m WHERE m.id = s.message_id AND m.status = 'scheduled' AND s.next_attempt_at IS NOT NULL
      RETURNING s.message_id
    ), traced AS (
      INSERT INTO message_event (id, message_id, type, at, detail)
      SELECT uuid_v7(), message_id, 'rescheduled', now(), '{"send_at": null, "reason": "It may have been sent since the backup."}'
        FROM held
    )
    UPDATE message m SET send_at = NULL FROM held WHERE m.id = held.message_id`);
  return rowCount ?? 0;
}

export function heldText(count: number): string {
  if (count === 0) return '';
  const messages = formatPlural(count, 'scheduled message');
  return count === 1
    ? `${messages} is held, because it may have been sent since. Reschedule it to send it.`
    : `${messages} are held, because they may have been sent since. Reschedule them to send them.`;
}
