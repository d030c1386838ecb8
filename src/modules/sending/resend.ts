import { createHash } from 'node:crypto';
import { parseAddress } from '@/lib/mail/address';
import { type Labels, labelsOf } from '@/modules/messages/schema';
import { copyMessage } from '@/modules/messages/service';
import type { UsedTemplate } from '@/modules/templates/schema';
import { AppError } from '@/server/errors';
import type { MutationContext } from '@/server/procedures/mutation';
import { newMessageId } from './composing/compose';
import type { PreparedMessage } from './composing/message-jobs';
import { distinctRecipients } from './fields/addresses';
import type { Resend, Sent } from './schema';
import { sendMessage } from './service';

/**
 * Sends a copy of a sent message as a new message, to the same recipients or to those in `to`. The copy keeps the original
 * header, except for its Message-ID and Date.
 * @throws the errors of {@link sendMessage} and {@link copyMessage}; FORBIDDEN or CONFLICT as for sending from its domain
 */
export function resendMessage(ctx: MutationContext, input: Resend): Promise<Sent> {
  const { id, to } = input;
  return sendMessage(ctx, {
    fingerprint: fingerprintOf(id, to),
    message: async (submit) => submit(await prepareCopy(ctx, input)),
    details: { resent_from: id },
  });
}

async function prepareCopy(ctx: MutationContext, { id, to }: Resend): Promise<PreparedMessage> {
  let messageId = '';
  const { message, raw } = await copyMessage(ctx, id, ({ fromAddress }) => {
    messageId = newMessageId(domainOf(fromAddress));
    return { newMessageId: messageId, date: ctx.clock.now() };
  });
  const recipients = distinctRecipients(
    to ? to.map((email) => ({ address: plainAddress(email), kind: 'to' as const })) : message.recipients,
  );
  const { fromAddress: from, subject } = message;
  const labels = labelsOf(message as Labels);
  const envelope = { from, to: recipients.map(({ address }) => address) };
  const template = (message.template as UsedTemplate | null) ?? undefined;
  return { from, recipients, subject, messageId, raw, envelope, template, ...labels };
}

function domainOf(address: string): string {
  const parsed = parseAddress(address);
  if (!parsed)
    throw new AppError('CONFLICT', `The message can’t be resent: its sender ${address} isn’t a plain address.`);
  return parsed.domain;
}

function plainAddress(email: string): string {
  return parseAddress(email)?.address ?? email;
}

function fingerprintOf(id: string, to: string[] | undefined): Uint8Array {
  return new Uint8Array(
    createHash('sha256')
      .update(JSON.stringify(['resend', id, to ?? null]))
      .digest(),
  );
}
