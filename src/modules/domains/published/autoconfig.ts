import { MAIL_SERVICES } from '@/lib/mail/services';
import type { PublishedDomain } from './mta-sts';
import { xmlText } from './xml-text';

/**
 * Settings for Thunderbird and other mail programs that read its format, version 1.1. The user name has the domain as the mail server
 * knows it, and not as somebody may type it (bücher.example).
 */
export function autoconfigXml({ name, mailHost }: PublishedDomain): string {
  const servers = MAIL_SERVICES.map(({ protocol, port, isTlsFromStart }) => {
    const element = protocol === 'imap' ? 'incomingServer' : 'outgoingServer';
    return `    <${element} type="${protocol}">
      <hostname>${xmlText(mailHost)}</hostname>
      <port>${port}</port>
      <socketType>${isTlsFromStart ? 'SSL' : 'STARTTLS'}</socketType>
      <authentication>password-cleartext</authentication>
      <username>%EMAILLOCALPART%@${xmlText(name)}</username>
    </${element}>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="${xmlText(name)}">
    <domain>${xmlText(name)}</domain>
    <displayName>${xmlText(name)}</displayName>
    <displayShortName>${xmlText(name)}</displayShortName>
${servers.join('\n')}
  </emailProvider>
</clientConfig>
`;
}
