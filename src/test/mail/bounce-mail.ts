type Bounce = {
  recipient?: string;
  action?: string;
  status?: string;
  diagnostic?: string;
  reportingMta?: string;
};

/** A report of a receiving server about one recipient (RFC 3464). */
export function bounceMail({
  recipient = 'ann@far.example',
  action = 'failed',
  status = '5.1.1',
  diagnostic = '550 5.1.1 No such user',
  reportingMta = 'mx.far.example',
}: Bounce = {}): string {
  return [
    'From: MAILER-DAEMON@mx.far.example',
    'Subject: Undelivered',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=part',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    'The message could not be delivered.',
    '--part',
    'Content-Type: message/delivery-status',
    '',
    `Reporting-MTA: dns; ${reportingMta}`,
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${diagnostic}`,
    '',
    '--part--',
    '',
  ].join('\r\n');
}
