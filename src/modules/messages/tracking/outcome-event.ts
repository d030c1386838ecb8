import type { DeliveryReport } from '@/mail/delivery-report';
import type { NewEvent } from '@/modules/events/service';
import { eventLabelsOf } from '../schema';
import { bounceCategory, failureReason } from './bounce-category';
import { domainOf, type SentMessage } from './locked-message';

type Outcome = Omit<DeliveryReport, 'messageId' | 'recipient'>;

/** mail.delivered, mail.bounced or mail.failed for one recipient. */
export function outcomeEvent(message: SentMessage, recipient: string, outcome: Outcome): NewEvent {
  const { id: messageRowId, messageId, domainId } = message;
  const { kind, at } = outcome;
  const data = {
    message_id: messageId,
    from: message.fromAddress,
    to: message.toAddresses,
    recipient,
    subject: message.subject,
    domain: domainOf(message),
    queue_id: outcome.queueId,
    ...outcomeData(outcome, outcome.delaySeconds ?? Math.max(0, at.getTime() - message.createdAt.getTime()) / 1000),
    ...eventLabelsOf(message),
  };
  return { type: OUTCOME_EVENTS[kind], messageId, messageRowId, domainId, at, data };
}

export const OUTCOME_EVENTS = {
  delivered: 'mail.delivered',
  bounced: 'mail.bounced',
  deferred: 'mail.bounced',
  failed: 'mail.failed',
} as const satisfies Record<DeliveryReport['kind'], string>;

type Reply = Pick<Outcome, 'kind' | 'cause' | 'smtpCode' | 'enhancedCode' | 'response' | 'remoteMta'>;

/** What an outcome's event tells beyond the message and the recipient. */
export function outcomeData(outcome: Reply, delaySeconds: number): object {
  const { kind, cause, smtpCode, enhancedCode, response, remoteMta } = outcome;
  if (kind === 'failed') return { reason: failureReason(cause, enhancedCode), error: response };
  if (kind === 'delivered') {
    return { remote_mta: remoteMta, smtp_code: smtpCode, smtp_response: response, delay_seconds: delaySeconds };
  }
  return {
    bounce: {
      type: kind === 'deferred' ? 'temporary' : 'permanent',
      category: bounceCategory(enhancedCode),
      smtp_code: smtpCode,
      enhanced_code: enhancedCode,
      diagnostic: response,
      remote_mta: remoteMta,
    },
    will_retry: kind === 'deferred',
    ...(cause === 'bounce_report' && { late: true }),
  };
}
