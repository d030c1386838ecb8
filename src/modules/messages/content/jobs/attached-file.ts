import type { MailFile } from '@/mail/mime/packed-files';

export type Attachment = { filename: string; contentType: string; content: Uint8Array };

/** An attachment that the HTML can refer to. */
export type AttachedFile = Attachment & Pick<MailFile, 'contentId' | 'disposition'>;
