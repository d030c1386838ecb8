import { PREFERRED_SERVICES } from '@/lib/mail/services';
import type { PublishedDomain } from './mta-sts';
import { xmlText } from './xml-text';

/** The address that Outlook asks about; null if the request names none. */
export function requestedAddress(body: string): string | null {
  return /<(?:\w{1,20}:)?EMailAddress\s?>([^<]{1,254})</i.exec(body)?.[1]?.trim() ?? null;
}

/** Whether a request asks for the settings of Outlook, as one does that names no other kind. */
export function isForOutlook(body: string): boolean {
  const [, schema] = /<(?:\w{1,20}:)?AcceptableResponseSchema\s?>([^<]{1,254})</i.exec(body) ?? [];
  if (schema !== undefined) return /\/outlook\/responseschema\//i.test(schema);
  const [, kind = 'outlook'] = /\/autodiscover\/(\w{1,20})\/requestschema\//i.exec(body) ?? [];
  return kind.toLowerCase() === 'outlook';
}

/** The answer that there is nothing of the kind, such as Exchange ActiveSync (MS-OXDSCLI: 600 invalid request, 601 not available). */
export function autodiscoverError(code: 600 | 601, at: Date): string {
  const [message, time] = [
    code === 600 ? 'Invalid Request' : 'Provider is not available',
    at.toISOString().slice(11, 23),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006">
  <Response>
    <Error Time="${time}" Id="0">
      <ErrorCode>${code}</ErrorCode>
      <Message>${message}</Message>
      <DebugData />
    </Error>
  </Response>
</Autodiscover>
`;
}

/** Settings for Outlook (MS-OXDSCLI, POX). */
export function autodiscoverXml({ mailHost }: PublishedDomain, address: string | null): string {
  const login = address === null ? '' : `<LoginName>${xmlText(address)}</LoginName>`;
  const protocols = PREFERRED_SERVICES.map(
    ({ protocol, port }) => `      <Protocol>
        <Type>${protocol.toUpperCase()}</Type>
        <Server>${xmlText(mailHost)}</Server>
        <Port>${port}</Port>
        <DomainRequired>off</DomainRequired>
        ${login}
        <SPA>off</SPA>
        <Encryption>SSL</Encryption>
        <AuthRequired>on</AuthRequired>
      </Protocol>`,
  );
  const user = address === null ? '' : `<User><DisplayName>${xmlText(address)}</DisplayName></User>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<Autodiscover xmlns="http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006">
  <Response xmlns="http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a">
    ${user}
    <Account>
      <AccountType>email</AccountType>
      <Action>settings</Action>
${protocols.join('\n')}
    </Account>
  </Response>
</Autodiscover>
`;
}
