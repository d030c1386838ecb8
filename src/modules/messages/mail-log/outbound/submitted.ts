import { v5 as uuidv5, version } from 'uuid';
import { parseAddress } from '@/lib/mail/address';
import { tagText } from '@/lib/mail/message-tags';
import { isBounceAddress } from '@/lib/mail/report-addresses';
import { uuidv7 } from '@/lib/uuid';
import { keyIdIn } from '@/mail/agent/installation';
import { oneLine } from '@/mail/submission/smtp-reply';
import { insertAuditEntry } from '@/server/audit';
import type { Tx } from '@/server/database/db';
import { readLabelFields } from '@/server/label-fields';
import type { Prisma } from '@/server/prisma/client';
import { labelsOf } from '../../schema';
import { UNKNOWN } from '../../tracking/failure-reason';
import { lockMessage, recordAccepted } from '../../tracking/locked-message';
import { recordReport } from '../../tracking/outcomes';
import { type FilterMeta, metaOf } from '../filter-meta';
import type { LoggedMail } from '../logged-mail';

const NAMESPACE = 'a2b5d2c8-6f0e-4c8a-9a57-5c1f0f6a6d11';

// Ids of other messages are of version 7.
const SUBMITTED_VERSION = 5;
const DAY_MS = 24 * 3_600_000;

/** Id of a message that a mailbox or an API key submitted by SMTP, derived from its queue id. */
export function submittedMessageId(queueId: string): string {
  return uuidv5(queueId, NAMESPACE);
}

/**
 * Whether a message without a row was submitted by SMTP in the last day, so that the log has it and will be read. The mail agent counted it
 * before.
 */
export async function isBeingLogged(tx: Tx, id: string, now: Date): Promise<boolean> {
  if (version(id) !== SUBMITTED_VERSION) return false;
  const at = { gt: new Date(now.getTime() - DAY_MS) };
  return (await tx.countedSend.count({ where: { id, at } })) > 0;
}

/**
 * Creates the message row, trace event and mail.sent for a message that a mailbox or an API key submitted by SMTP, and the audit
 * entry of a key's.
 */
export async function createSubmitted(tx: Tx, mail: LoggedMail, at: Date): Promise<void> {
  const { queueId, login, clientAddress, sizeBytes } = mail;
  const keyId = keyIdIn(login);
  const id = submittedMessageId(queueId);
  const sender = parseAddress((keyId ? await senderOf(tx, id, mail) : login) ?? '');
  if (!sender || (await tx.message.findUnique({ where: { id }, select: { id: true } }))) return;
  const domain = await tx.domain.findUnique({ where: { name: sender.domain }, select: { id: true } });
  const verdict = metaOf(mail);
  const recipients = [...new Set(verdict?.recipients ?? [])];
  const { data: labels, problems } = labelsIn(verdict, at);
  await tx.message.create({
    select: { id: true },
    data: {
      id,
      messageId: mail.messageId || `<${queueId}@${sender.domain}>`,
      queueId,
      domainId: domain?.id ?? null,
      apiKeyId: keyId,
      direction: 'outbound',
      fromAddress: sender.address,
      toAddresses: recipients,
      subject: oneLine(verdict?.subject ?? ''),
      sizeBytes: sizeBytes ?? 0,
      status: 'sent',
      createdAt: at,
      ...labels,
      recipients: {
        createMany: { data: recipients.map((address) => ({ id: uuidv7(), address, kind: 'to', status: 'sent' })) },
      },
    },
  });
  const source = { source: 'smtp', queue_id: queueId, client: clientAddress };
  const by = keyId
    ? await recordKeySend(tx, { id, from: sender.address, keyId, domainId: domain?.id ?? null, mail, at })
    : sender.address;
  const detail = { ...source, by, ...(keyId && { api_key_id: keyId }) };
  await recordAccepted(tx, await lockMessage(tx, id), { at, detail });
  await recordIgnoredLabels(tx, id, problems, at);
}

/** The labels in a message's fields. Those that aren't valid are left out: the mail server accepted the message without reading them. */
function labelsIn(
  { tags: tagFields = [], metadata: metadataFields = [] }: Pick<FilterMeta, 'tags' | 'metadata'> = {},
  createdAt: Date,
) {
  const read = readLabelFields({ tags: tagFields, metadata: metadataFields });
  const { tags, metadata } = labelsOf(read);
  const tagged = Object.entries(tags ?? {}).map(([name, value]) => ({ tag: tagText(name, value), createdAt }));
  const data = {
    ...(tags && { tags, tagged: { createMany: { data: tagged, skipDuplicates: true } } }),
    ...(metadata && { metadata: metadata as Prisma.InputJsonObject }),
  };
  return { data, problems: read.problems };
}

/** Adds to the trace, once, why fields with labels were left out. */
async function recordIgnoredLabels(tx: Tx, messageId: string, problems: string[], at: Date): Promise<void> {
  const type = 'labels_ignored';
  if (problems.length === 0 || (await tx.messageEvent.count({ where: { messageId, type } })) > 0) return;
  await tx.messageEvent.create({
    data: { id: uuidv7(), messageId, type, at, detail: { reason: problems.join(' ') } },
    select: { id: true },
  });
}

/** The address that an API key gave as its envelope sender: the mail server may have replaced it with a bounce address. */
async function senderOf(tx: Tx, id: string, mail: LoggedMail): Promise<string | null> {
  if (mail.mailFrom === null || !isBounceAddress(mail.mailFrom)) return mail.mailFrom;
  const given = metaOf(mail)?.from;
  return given ?? (await tx.countedSend.findUnique({ where: { id }, select: { address: true } }))?.address ?? null;
}

type KeySend = { id: string; from: string; keyId: string; domainId: string | null; mail: LoggedMail; at: Date };

/** Records that a key sent a message, like `POST /send` does. @returns the email of its admin, unless the key was deleted since */
async function recordKeySend(tx: Tx, { id, from, keyId, domainId, mail, at }: KeySend): Promise<string | undefined> {
  const key = await tx.apiKey.findUnique({
    where: { id: keyId },
    select: { id: true, admin: { select: { id: true, email: true } } },
  });
  const ip = mail.clientAddress ?? '0.0.0.0';
  const request = { id: uuidv7(), ip, userAgent: 'SMTP', idempotencyKey: null, cookies: '' };
  await insertAuditEntry(
    tx,
    { request, clock: { now: () => at } },
    {
      action: 'message.send',
      outcome: 'success',
      actor: key && { admin: key.admin, key: { id: key.id } },
      resource: `message:${id}`,
      domainId,
      details: {
        message_id: mail.messageId,
        source: 'smtp',
        from,
        subject: metaOf(mail)?.subject ?? '',
      },
    },
  );
  return key?.admin.email;
}

/** Adds a recipient that the filter did not report, or has not yet. */
export async function addRecipient(tx: Tx, queueId: string, address: string): Promise<void> {
  const messageId = submittedMessageId(queueId);
  await tx.$executeRaw`
    WITH added AS (
      INSERT INTO message_recipient (id, message_id, address, kind, status)
      SELECT ${uuidv7()}::uuid, m.id, ${address}, 'to', 'sent' FROM message m
       WHERE m.id = ${messageId}::uuid
         AND NOT EXISTS (SELECT FROM message_recipient r WHERE r.message_id = m.id AND lower(r.address) = lower(${address}))
      ON CONFLICT DO NOTHING
      RETURNING message_id
    )
    UPDATE message SET to_addresses = array_append(to_addresses, ${address})
     WHERE id IN (SELECT message_id FROM added) AND ${address} <> ALL (to_addresses)`;
}

/** Adds the filter's fields to a message that was recorded before the filter's entry arrived. */
export async function completeSubmitted(tx: Tx, meta: FilterMeta, removedAt: Date | null): Promise<void> {
  const { queue_id: queueId, recipients, subject } = meta;
  const id = submittedMessageId(queueId);
  const known = await tx.message.findUnique({ where: { id }, select: { createdAt: true } });
  if (!known) return;
  await lockMessage(tx, id);
  const { data, problems } = labelsIn(meta, known.createdAt);
  if (Object.keys(data).length > 0) await tx.message.update({ where: { id }, data, select: { id: true } });
  await recordIgnoredLabels(tx, id, problems, known.createdAt);
  for (const address of new Set(recipients)) await addRecipient(tx, queueId, address);
  await tx.$executeRaw`
    UPDATE message SET subject = ${oneLine(subject)}, status = message_status_of(id), updated_at = now() WHERE id = ${id}::uuid`;
  if (removedAt) await recordReport(tx, { kind: 'removed', messageId: null, queueId, at: removedAt, reason: UNKNOWN });
}

/** Adds `held` or `released` to the trace, unless it has that event in the same second already (the log may repeat). */
export async function recordQueueChange(tx: Tx, queueId: string, type: 'held' | 'released', at: Date): Promise<void> {
  const second = Math.floor(at.getTime() / SECOND_MS) * SECOND_MS;
  const sameSecond = { gte: new Date(second), lt: new Date(second + SECOND_MS) };
  const messages = await tx.message.findMany({
    where: { queueId, events: { none: { type, at: sameSecond } } },
    select: { id: true },
  });
  await tx.messageEvent.createMany({
    data: messages.map(({ id: messageId }) => ({ id: uuidv7(), messageId, type, at })),
  });
}

// Postfix logs timestamps with this precision.
const SECOND_MS = 1000;
