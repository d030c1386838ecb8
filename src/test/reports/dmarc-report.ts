import { randomUUID } from 'node:crypto';

export type Row = {
  ip?: string;
  count?: number | string;
  disposition?: string;
  dkim?: 'pass' | 'fail';
  spf?: 'pass' | 'fail';
  signer?: string;
  selector?: string;
};

export type ReportFields = {
  domain: string;
  rows?: Row[];
  organisation?: string;
  reportId?: string;
  /** The day, as `2026-11-20`. */
  day?: string;
  begin?: string | number;
  end?: string | number;
};

const DAY_SECONDS = 24 * 60 * 60;

/** An aggregate report of RFC 7489. */
export function dmarcXml(fields: ReportFields): string {
  const { domain, rows = [{}], organisation = 'far.example', reportId = randomUUID(), day = '2026-11-20' } = fields;
  const start = Date.parse(`${day}T00:00:00Z`) / 1000;
  const { begin = start, end = start + DAY_SECONDS - 1 } = fields;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feedback>
  <report_metadata>
    <org_name>${organisation}</org_name><email>noreply@${organisation}</email><report_id>${reportId}</report_id>
    <date_range><begin>${begin}</begin><end>${end}</end></date_range>
  </report_metadata>
  <policy_published><domain>${domain}</domain><adkim>r</adkim><aspf>r</aspf><p>none</p><sp>none</sp><pct>100</pct></policy_published>
${rows.map((row) => rowXml(domain, row)).join('\n')}
</feedback>`;
}

function rowXml(domain: string, row: Row): string {
  const { ip = '192.0.2.1', count = 1, disposition = 'none', dkim = 'pass', spf = 'pass', signer = domain } = row;
  return `  <record>
    <row><source_ip>${ip}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
    <identifiers><header_from>${domain}</header_from></identifiers>
    <auth_results>
      <dkim><domain>${signer}</domain><selector>${row.selector ?? 's1'}</selector><result>pass</result></dkim>
      <spf><domain>${domain}</domain><result>${spf}</result></spf>
    </auth_results>
  </record>`;
}
