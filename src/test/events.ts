import { sampleData } from '@/modules/events/sample-data';
import { emitEvent, type NewEvent } from '@/modules/events/service';
import { db } from '@/test/database';
import { unique } from '@/test/factories';

type Db = Parameters<typeof emitEvent>[0];

export async function emit(
  domainId: string | null,
  tx: Db = db,
  type: Parameters<typeof emitEvent>[1]['type'] = 'mail.sent',
) {
  const messageId = `<${unique()}@example.com>`;
  const { data } = sampleData(type, 'example.com');
  await emitEvent(tx, { type, messageId, messageRowId: null, domainId, at: new Date(), data } as NewEvent);
  return messageId;
}
