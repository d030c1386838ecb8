import { fileExtension } from './file-extension';
import type { MailFile } from './packed-files';

/** A file of a message as it is shown and handed on: with a name that a message can be sent with. */
export type AttachedFile = Pick<MailFile, 'disposition' | 'contentId' | 'content'> & {
  filename: string;
  contentType: string;
};

const MAX_LENGTH = 255;

/** Returns the files with a name each. */
export function attachedFiles(files: readonly MailFile[]): AttachedFile[] {
  return files.map((file, index) => {
    const { mimeType, disposition, contentId, content } = file;
    const contentType = mimeType.toWellFormed().slice(0, MAX_LENGTH);
    return { filename: nameOf(file, index), contentType, disposition, contentId, content };
  });
}

/** Marks of direction could show another extension than the file has, and a path name another folder. */
function nameOf({ filename, mimeType }: MailFile, index: number): string {
  const name = (filename ?? '')
    .toWellFormed()
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[/\\]/g, '_')
    .trim();
  if (/^\.{0,2}$/.test(name)) return `attachment-${index + 1}${fileExtension(mimeType)}`;
  if (name.length <= MAX_LENGTH) return name;
  const [extension = ''] = /\.[^.\s]{1,10}$/.exec(name) ?? [];
  return `${name.slice(0, MAX_LENGTH - extension.length).toWellFormed()}${extension}`;
}
