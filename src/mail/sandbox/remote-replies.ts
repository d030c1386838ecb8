import type { DeliveryReport } from '../delivery-report';

type RemoteReply = Pick<DeliveryReport, 'kind' | 'cause' | 'smtpCode' | 'enhancedCode' | 'response' | 'remoteMta'>;

/** The simulated reply for a recipient: bounce.test bounces, defer.test defers, everything else is delivered. */
export function remoteReply(recipient: string): RemoteReply {
  const domain = recipient.slice(recipient.lastIndexOf('@') + 1).toLowerCase();
  const remoteMta = `mx.${domain}`;
  if (isWithin(domain, 'bounce.test')) {
    const response = `550 5.1.1 <${recipient}>: No such user here`;
    return { kind: 'bounced', cause: 'remote_reply', smtpCode: 550, enhancedCode: '5.1.1', response, remoteMta };
  }
  if (isWithin(domain, 'defer.test')) {
    const response = `451 4.4.1 <${recipient}>: No answer from the host, try again later`;
    return { kind: 'deferred', cause: 'remote_reply', smtpCode: 451, enhancedCode: '4.4.1', response, remoteMta };
  }
  const response = '250 2.0.0 Ok: delivery simulated by the sandbox';
  return { kind: 'delivered', cause: null, smtpCode: 250, enhancedCode: '2.0.0', response, remoteMta };
}

/** The reply when a deferred recipient fails at the end of the queue lifetime. */
export function expiredReply(recipient: string): RemoteReply {
  const response = `4.4.7 <${recipient}>: delivery time expired`;
  return { kind: 'failed', cause: 'expired', smtpCode: null, enhancedCode: '4.4.7', response, remoteMta: null };
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}
