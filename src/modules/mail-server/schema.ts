import { z } from 'zod';

/** `silent`: its agent has told of mail before, and tells nothing of itself now. */
export const MailServerState = z.enum(['none', 'attached', 'silent']);
export type MailServerState = z.infer<typeof MailServerState>;
