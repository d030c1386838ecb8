/** What a filter may be, for the form, the API and the mail server alike. */
export const MAX_SCRIPT_BYTES = 65_536;

/** Of one scope: of all mail, of a domain, of a mailbox. */
export const MAX_FILTERS = 200;

/** deploy/mail/settings.mjs gives Dovecot room for as many of each scope. */
export const MAX_ACTIVE_FILTERS = 20;

export function scriptBytes(script: string): number {
  return new TextEncoder().encode(script).length;
}
