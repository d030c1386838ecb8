/** Mail to these addresses of a managed domain is read as reports. The SQL function kind_of_report_address names them too. */
export const REPORT_LOCAL_PARTS = { dmarc: 'dmarc-reports', tls: 'tls-reports' } as const;

/** The local part of the address of a domain for feedback loops. The SQL function kind_of_report_address names it too. */
const COMPLAINT_LOCAL_PART = 'complaint-reports';

/** Mail to this address of a domain unsubscribes by the token in its subject. */
export const UNSUBSCRIBE_LOCAL_PART = 'unsubscribe-requests';

/**
 * The local part of a bounce address: the id of a message, and its signature. The SQL function kind_of_report_address has the same rule.
 * Mail servers on the way may change letter case.
 */
export const BOUNCE_LOCAL_PART = /^bounces\+([0-9a-f]{32})([0-9a-f]{20})$/i;

export function isBounceAddress(address: string): boolean {
  return BOUNCE_LOCAL_PART.test(localPartOf(address));
}

export function isComplaintAddress(address: string): boolean {
  return localPartOf(address).toLowerCase() === COMPLAINT_LOCAL_PART;
}

export function isUnsubscribeAddress(address: string): boolean {
  return localPartOf(address).toLowerCase() === UNSUBSCRIBE_LOCAL_PART;
}

function localPartOf(address: string): string {
  return address.slice(0, Math.max(0, address.lastIndexOf('@')));
}
