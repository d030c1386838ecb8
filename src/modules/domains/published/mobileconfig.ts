import { v5 as uuidv5 } from 'uuid';
import { PREFERRED_SERVICES } from '@/lib/mail/services';
import type { PublishedDomain } from './mta-sts';
import { xmlText } from './xml-text';

type Values = Record<string, string | number | boolean>;

/** A profile for Apple's mail programs. Without an address, the device asks for it. */
export function mobileconfig({ name, mailHost }: PublishedDomain, address: string | null): string {
  const account = address ?? name;
  // A device replaces the profile that it has under the same identifier.
  const identifier = `${reversed(name)}.postroom.${uuidv5(account.toLowerCase(), uuidv5.DNS)}`;
  const user: Values = address === null ? {} : { EmailAddress: address };
  const mail: Values = {
    PayloadType: 'com.apple.mail.managed',
    PayloadVersion: 1,
    PayloadIdentifier: `${identifier}.mail`,
    PayloadUUID: uuidv5(`mail:${account.toLowerCase()}`, uuidv5.DNS),
    PayloadDisplayName: account,
    EmailAccountType: 'EmailTypeIMAP',
    EmailAccountDescription: account,
    ...user,
    OutgoingPasswordSameAsIncomingPassword: true,
  };
  for (const { protocol, port } of PREFERRED_SERVICES) {
    const side = protocol === 'imap' ? 'Incoming' : 'Outgoing';
    mail[`${side}MailServerHostName`] = mailHost;
    mail[`${side}MailServerPortNumber`] = port;
    mail[`${side}MailServerUseSSL`] = true;
    mail[`${side}MailServerAuthentication`] = 'EmailAuthPassword';
    if (address !== null) mail[`${side}MailServerUsername`] = address;
  }
  const profile: Values = {
    PayloadType: 'Configuration',
    PayloadVersion: 1,
    PayloadIdentifier: identifier,
    PayloadUUID: uuidv5(`profile:${account.toLowerCase()}`, uuidv5.DNS),
    PayloadDisplayName: `Mail for ${account}`,
    PayloadDescription: `Sets up mail for ${account}.`,
    PayloadOrganization: name,
    PayloadRemovalDisallowed: false,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${entries(profile)}
<key>PayloadContent</key>
<array>
<dict>
${entries(mail)}
</dict>
</array>
</dict>
</plist>
`;
}

function entries(values: Values): string {
  return Object.entries(values)
    .map(([key, value]) => `<key>${key}</key>\n${plistValue(value)}`)
    .join('\n');
}

function plistValue(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  return typeof value === 'number' ? `<integer>${value}</integer>` : `<string>${xmlText(value)}</string>`;
}

function reversed(name: string): string {
  return name.split('.').reverse().join('.');
}
