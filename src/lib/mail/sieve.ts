/** Limits of filters, for the form, the API and the mail server. */
export const MAX_SCRIPT_BYTES = 65_536;

/** Per scope: all mail, a domain, or a mailbox. */
export const MAX_FILTERS = 200;

/** Per scope; what the database tells Dovecot has room for the same number. */
export const MAX_ACTIVE_FILTERS = 20;

export function scriptBytes(script: string): number {
  return new TextEncoder().encode(script).length;
}
