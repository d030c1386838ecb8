import type { DeliveryReport } from '@/mail/delivery-report';
import type { EventData, NewEvent, TypedData } from '@/modules/events/service';
import { eventLabelsOf } from '../schema';
import { bounceCategory, failureReason } from './bounce-category';
import { domainOf, type SentMessage } from './locked-message';

type Outcome = Omit<DeliveryReport, 'messageId' | 'recipient'>;

/** mail.delivered, mail.bounced or mail.failed for one recipient. */
export function outcomeEvent(message: SentMessage, recipient: string, outcome: Outcome): NewEvent {
  const { id: messageRowId, messageId, domainId } = message;
  const { at } = outcome;
  const about = {
    message_id: messageId,
    from: message.fromAddress,
    to: message.toAddresses,
    recipient,
    subject: message.subject,
    domain: domainOf(message),
    queue_id: outcome.queueId,
    ...eventLabelsOf(message),
  };
  const delaySeconds = outcome.delaySeconds ?? Math.max(0, at.getTime() - message.createdAt.getTime()) / 1000;
  return { messageId, messageRowId, domainId, at, ...outcomeData(about, outcome, delaySeconds) };
}

type Reply = Pick<Outcome, 'kind' | 'cause' | 'smtpCode' | 'enhancedCode' | 'response' | 'remoteMta'>;

/** The message and the recipient, which the events of all outcomes have. */
type About = Omit<EventData['mail.failed'], 'reason' | 'error'>;

/** The type and the data of an outcome's event. */
export function outcomeData(about: About, outcome: Reply, delaySeconds: number): OutcomeData {
  const { kind, cause, smtpCode, enhancedCode, response, remoteMta } = outcome;
  if (kind === 'failed') {
    return { type: 'mail.failed', data: { ...about, reason: failureReason(cause, enhancedCode), error: response } };
  }
  if (kind === 'delivered') {
    const reply = { remote_mta: remoteMta, smtp_code: smtpCode, smtp_response: response, delay_seconds: delaySeconds };
    return { type: 'mail.delivered', data: { ...about, ...reply } };
  }
  const bounce = {
    type: kind === 'deferred' ? ('temporary' as const) : ('permanent' as const),
    category: bounceCategory(enhancedCode),
    smtp_code: smtpCode,
    enhanced_code: enhancedCode,
    diagnostic: response,
    remote_mta: remoteMta,
  };
  const late = cause === 'bounce_report' ? { late: true as const } : {};
  return { type: 'mail.bounced', data: { ...about, bounce, will_retry: kind === 'deferred', ...late } };
}

type OutcomeData = TypedData<'mail.delivered' | 'mail.bounced' | 'mail.failed'>;
