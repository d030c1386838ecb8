import type { DemoAdmin } from '../directory/admins';
import type { DemoMessage } from '../mail/demo-message';
import { after } from '../time';
import type { DemoEntry } from './audit-entry';

const PROGRAM = { ipAddress: '198.51.100.12', userAgent: 'node' };

/** One entry per message sent through the API, and one per batch. */
export function sentEntries(messages: readonly DemoMessage[], admins: readonly DemoAdmin[]): DemoEntry[] {
  const sent = messages.filter(({ sender, row }) => sender !== null && row.status !== 'submitting');
  const batches = new Map<string, DemoMessage[]>();
  for (const message of sent) {
    const batchId = message.sender?.batchId;
    if (batchId) batches.set(batchId, [...(batches.get(batchId) ?? []), message]);
  }
  const single = sent.filter(({ sender }) => !sender?.batchId).map((message) => singleEntry(message, admins));
  return [...single, ...[...batches.values()].map((batch) => batchEntry(batch, admins))];
}

function singleEntry(message: DemoMessage, admins: readonly DemoAdmin[]): DemoEntry {
  const { row, trace } = message;
  const end = trace.find(({ type }) => ['queued', 'refused', 'uncertain'].includes(type));
  const outcome = end?.type === 'queued' ? 'accepted' : (end?.type ?? 'uncertain');
  const details = {
    ...{ message_id: row.message_id, from: row.from_address, subject: row.subject, outcome },
    ...(end?.type === 'refused' && { message: end.detail.response }),
  };
  return {
    at: end?.at ?? row.created_at,
    action: 'message.send',
    resource: `message:${row.id}`,
    domainId: row.domain_id,
    outcome: outcome === 'accepted' ? 'success' : 'error',
    ...callerOf(message, admins),
    details,
  };
}

function batchEntry(batch: DemoMessage[], admins: readonly DemoAdmin[]): DemoEntry {
  const [first] = batch as [DemoMessage, ...DemoMessage[]];
  const details = {
    total: batch.length,
    refused: 0,
    domains: [first.domainName],
    message_ids: batch.map(({ row }) => row.message_id),
  };
  const about = { action: 'message.send_batch', resource: 'message', domainId: first.row.domain_id };
  return { at: after(first.row.created_at, -20), ...about, ...callerOf(first, admins), details };
}

function callerOf({ sender }: DemoMessage, admins: readonly DemoAdmin[]) {
  const admin = admins.find(({ id }) => id === sender?.adminId) ?? null;
  return sender?.apiKeyId ? { admin, apiKeyId: sender.apiKeyId, ...PROGRAM } : { admin };
}
