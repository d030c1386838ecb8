type Complaint = { sender?: string; type?: string; recipient?: string };

/** A complaint of a recipient in the form of their provider (RFC 5965). */
export function complaintMail({ sender, type = 'abuse', recipient }: Complaint): string {
  return [
    'From: feedback@mail.example',
    'Subject: Complaint',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=part',
    '',
    '--part',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'Version: 1',
    ...(recipient ? [`Original-Rcpt-To: <${recipient}>`] : []),
    '',
    '--part',
    'Content-Type: message/rfc822',
    '',
    ...(sender ? [`Return-Path: <${sender}>`] : []),
    'Subject: Hello',
    '',
    'Hello.',
    '--part--',
    '',
  ].join('\r\n');
}
