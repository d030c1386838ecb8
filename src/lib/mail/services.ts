/** How mail programs reach the mail server: the user name is the whole address, the password that of the mailbox. */
export const MAIL_SERVICES = [
  { protocol: 'imap', port: 993, isTlsFromStart: true },
  { protocol: 'imap', port: 143, isTlsFromStart: false },
  { protocol: 'smtp', port: 465, isTlsFromStart: true },
  { protocol: 'smtp', port: 587, isTlsFromStart: false },
] as const;

export const PREFERRED_SERVICES = MAIL_SERVICES.filter(({ isTlsFromStart }) => isTlsFromStart);
