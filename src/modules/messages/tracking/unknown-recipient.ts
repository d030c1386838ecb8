import { hasTag } from '@/lib/mail/suppression';

type Bounce = { smtpCode: number | null; enhancedCode: string | null; response: string };

/**
 * How surely a permanent bounce says that the address doesn't exist. `repeated`: only if an earlier bounce said the same, because
 * the reply is also given for other reasons, or is about the domain, whose DNS can be wrong for a while.
 */
export type UnknownRecipient = 'certain' | 'repeated';

/**
 * Replies by what servers really answer, before the codes of RFC 3463: some use codes of another meaning, and others none. The
 * tests have an example of each (docs/suppressions.md).
 */
const REPLIES: readonly [RegExp, UnknownRecipient][] = [
  // Google.
  [/5\.2\.1 The email account that you tried to reach is (?:inactive|disabled)\b/i, 'certain'],
  // Microsoft: of a directory that doesn't answer now, too.
  [/5\.4\.1 (?:[<[]\S{1,254}[>\]]: )?Recipient address rejected: Access denied/i, 'repeated'],
  // Microsoft, of the reply of a server behind it.
  [/5\.1\.351 Remote server returned unknown recipient/i, 'repeated'],
  // Outlook.com.
  [/5\.5\.0 Requested action not taken: mailbox unavailable/i, 'repeated'],
  // Yahoo and AOL.
  [/delivery error: dd This user doesn't have an? \S+ account/i, 'certain'],
  [/delivery error: dd .*(?:mailbox is disabled|account has been disabled or discontinued)/i, 'certain'],
  [/^552 1 Requested mail action aborted, mailbox not found/i, 'certain'],
  // GMX, web.de and mail.com. Others give the same text for policies, too.
  [/Requested action not taken: mailbox unavailable.*https:\/\/postmaster\.(?:gmx|web|mail)\./i, 'certain'],
  // Yandex.
  [/5\.7\.1 No such user\b/i, 'certain'],
  // Mail.ru.
  [/invalid mailbox\. Local mailbox \S+ is unavailable: (?:user not found|account is disabled)/i, 'certain'],
  // NTT docomo and au: also of recipients whose settings reject the sender.
  [/\bUnknown user \S{1,64}@(?:[a-z0-9-]{1,63}\.)?docomo\.ne\.jp/i, 'repeated'],
  [/^550 (?:5\.0\.0 )?: User unknown/i, 'repeated'],
  // Lotus Domino.
  [/not listed in (?:the )?(?:Domino Directory|public Name & Address Book)/i, 'certain'],
  // Postfix in front of other servers.
  [/5\.1\.1 .*: User unknown in relay recipient table/i, 'certain'],
  // Mimecast.
  [/^550 Invalid Recipient - https:\/\/community\.mimecast\.com\//i, 'certain'],
  // The domain has a null MX record (RFC 7505), by your own Postfix or the code of a server; or it doesn't exist.
  [/^Domain \S+ does not accept mail \(nullMX\)|^556[ -]5\.1\.10\b/i, 'repeated'],
  [/^Host or domain name not found\. Name service error for name=\S+ type=\w+: Host not found$/i, 'repeated'],
];

/** Texts about an unknown recipient in replies with a general enhanced code, or with none, for which Postfix logs 5.0.0. */
const PLAIN_TEXT: readonly [RegExp, UnknownRecipient][] = [
  [
    /\b(?:user unknown|unknown user|no such user|user not found|mailbox not found|no such mailbox|no such recipient|unknown recipient|recipient not found|no such account|no mailbox (?:here )?by that name)\b/i,
    'certain',
  ],
  [/\b(?:user|recipient|account|mailbox)(?: \S{1,254})? (?:does not|doesn['’]t|not) exist\b/i, 'certain'],
  [/\binvalid (?:recipient|mailbox)\b/i, 'repeated'],
];
const GENERAL_CODE = /^5\.[0135]\.0$/;

const BY_CODE: Record<string, UnknownRecipient> = {
  '5.1.1': 'certain',
  '5.1.2': 'repeated',
  '5.1.3': 'certain',
  '5.1.6': 'certain',
  '5.1.10': 'certain',
};

/** Words of replies that are about the sender, its server, the message or a full mailbox, whatever their code. */
const OTHER_REASON =
  /\b(?:quota|full|storage|too many|rate|spam\w*|block(?:ed|ing)?|\w*(?:block|black|deny|dns|rt?)[ -]?(?:list|bl)\w*|banned|reputation|polic(?:y|ies)|denied|spf|dkim|dmarc|authenticat\w*|relay\w*|greylist\w*|temporar\w*|try again|not allowed|sender|content|virus(?:es)?|malware|unsolicited|suspicious|restrict\w*|permissions?|(?:not |un)authori[sz]ed|abus\w*|listed (?:at|by|in|on|with)|ptr|rdns|reverse|[eh]{2}lo|(?:your|client|source|sending) (?:ip|host|server|address)|phish\w*|junk|bulk)\b/i;

/** Returns null if the bounce says nothing certain about the address. */
export function unknownRecipient(
  address: string,
  { smtpCode, enhancedCode, response }: Bounce,
): UnknownRecipient | null {
  if (hasTag(address)) return null;
  if (smtpCode !== null && smtpCode < 500) return null;
  const known = REPLIES.find(([pattern]) => pattern.test(response));
  if (known) return known[1];
  if (OTHER_REASON.test(response.replace(/\S+@\S+/g, ''))) return null;
  const code = enhancedCode ?? '5.0.0';
  if (GENERAL_CODE.test(code)) return PLAIN_TEXT.find(([pattern]) => pattern.test(response))?.[1] ?? null;
  return BY_CODE[code] ?? null;
}
