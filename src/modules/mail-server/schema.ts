import { z } from 'zod';

/** `silent`: an agent was attached before, but is not responding now. */
export const MailServerState = z.enum(['none', 'attached', 'silent']);
export type MailServerState = z.infer<typeof MailServerState>;
