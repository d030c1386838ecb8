import type { AttachedFile } from '@/mail/mime/attached-files';

export type Attachment = Pick<AttachedFile, 'filename' | 'contentType' | 'content'>;
