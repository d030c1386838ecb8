import type { ClientBase } from 'pg';
import { formatPlural } from '@/lib/format';

/** Holds the scheduled messages of an archive (the SQL function hold_scheduled). @returns how many */
export async function holdScheduled(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ held: number }>('SELECT hold_scheduled() AS held');
  return rows[0]?.held ?? 0;
}

export function heldText(count: number): string {
  if (count === 0) return '';
  const messages = formatPlural(count, 'scheduled message');
  return count === 1
    ? `${messages} is held, because it may have been sent since. Reschedule it to send it.`
    : `${messages} are held, because they may have been sent since. Reschedule them to send them.`;
}
