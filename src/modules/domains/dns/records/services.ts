import { type DomainFacts, type ExpectedRecord, hasPublicName, mismatch, multiple, ok } from './record';

const HTTPS_PORT = 443;
/** Says that there is no such service (RFC 2782). */
const NOT_SERVED = '0 0 0 .';

/** Where mail programs find the mail server (RFC 6186, RFC 8314), and Outlook its settings. */
export function serviceRecords({ name, mailHost, appHost }: DomainFacts): ExpectedRecord[] {
  return [
    ...(hasPublicName(mailHost) ? mailServices(mailHost) : []),
    notServed('_pop3s._tcp'),
    notServed('_pop3._tcp'),
    ...(hasPublicName(appHost) ? [served('_autodiscover._tcp', HTTPS_PORT, appHost, 'their settings')] : []),
  ].map((record) => ({ ...record, name: `${record.name}.${name}` }));
}

function mailServices(mailHost: string): ExpectedRecord[] {
  return [
    served('_submissions._tcp', 465, mailHost, 'where to send mail'),
    served('_submission._tcp', 587, mailHost, 'where to send mail'),
    served('_imaps._tcp', 993, mailHost, 'where to read mail'),
    served('_imap._tcp', 143, mailHost, 'where to read mail'),
  ];
}

function served(service: string, port: number, host: string, what: string): ExpectedRecord {
  return serviceRecord(service, `0 1 ${port} ${host}`, {
    missing: `With this record, mail programs find out by themselves ${what}.`,
    right: `Mail programs find out ${what}.`,
    wrong: `Mail programs that look for ${what} are sent elsewhere.`,
  });
}

function notServed(service: string): ExpectedRecord {
  return serviceRecord(service, NOT_SERVED, {
    missing: 'With this record, mail programs don’t try POP3, which your mail server doesn’t offer.',
    right: 'Mail programs know that your mail server doesn’t offer POP3.',
    wrong: 'Mail programs are sent to a POP3 server, and your mail server doesn’t offer POP3.',
  });
}

function serviceRecord(
  service: string,
  expected: string,
  { missing, right, wrong }: { missing: string; right: string; wrong: string },
): ExpectedRecord {
  return {
    purpose: 'srv',
    type: 'SRV',
    name: service,
    expected,
    required: false,
    missing: { severity: 'info', message: missing },
    judge(values) {
      if (!values.every((value) => placeOf(value) === placeOf(expected))) {
        return mismatch('warning', wrong, `Change the record to ${expected}`);
      }
      return values.length === 1
        ? ok(right)
        : { ...multiple(values.length, 'SRV'), severity: 'warning', message: right };
    },
  };
}

/** Port and target. Priority and weight only choose between several. */
function placeOf(value: string): string {
  return value.split(' ').slice(2).join(' ');
}
