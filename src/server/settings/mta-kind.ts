import { env } from './env';

/** Where submitted messages go: to a mail server, to the sandbox, which keeps them, or nowhere. */
export function mtaKind(): 'sandbox' | 'smtp' | 'off' {
  const { smtpUrl } = env();
  if (smtpUrl === 'off') return 'off';
  return smtpUrl ? 'smtp' : 'sandbox';
}
