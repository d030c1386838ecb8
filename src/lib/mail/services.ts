/** The ports for submission by SMTP, with TLS from the start and by STARTTLS. */
export const SUBMISSION_PORTS = { tls: 465, starttls: 587 } as const;

/**
 * How mail programs reach the mail server: the user name is the whole address, the password that of the mailbox. Programs that send
 * with an API key use those for SMTP.
 */
export const MAIL_SERVICES = [
  { protocol: 'imap', port: 993, isTlsFromStart: true },
  { protocol: 'imap', port: 143, isTlsFromStart: false },
  { protocol: 'smtp', port: SUBMISSION_PORTS.tls, isTlsFromStart: true },
  { protocol: 'smtp', port: SUBMISSION_PORTS.starttls, isTlsFromStart: false },
] as const;

/** User name with which every API key signs in to send by SMTP. */
export const KEYS_LOGIN = 'apikey';

export const PREFERRED_SERVICES = MAIL_SERVICES.filter(({ isTlsFromStart }) => isTlsFromStart);
