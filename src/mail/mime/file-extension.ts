/** The extension for a file without a name, with its dot; empty if its type says nothing. */
export function fileExtension(mimeType: string): string {
  const [group = '', name = ''] = mimeType.split('/');
  const known = EXTENSIONS.get(mimeType);
  if (known) return `.${known}`;
  const isName = ['image', 'audio', 'video', 'font'].includes(group) && /^[a-z0-9]{2,5}$/.test(name);
  if (isName) return `.${name}`;
  return group === 'text' ? '.txt' : '';
}

const EXTENSIONS = new Map(
  Object.entries({
    'application/gzip': 'gz',
    'application/ics': 'ics',
    'application/javascript': 'js',
    'application/json': 'json',
    'application/msword': 'doc',
    'application/pdf': 'pdf',
    'application/pgp-encrypted': 'txt',
    'application/pgp-keys': 'asc',
    'application/pgp-signature': 'asc',
    'application/pkcs7-mime': 'p7m',
    'application/pkcs7-signature': 'p7s',
    'application/rtf': 'rtf',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.ms-powerpoint': 'ppt',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/x-gzip': 'gz',
    'application/x-pkcs7-mime': 'p7m',
    'application/x-pkcs7-signature': 'p7s',
    'application/x-zip-compressed': 'zip',
    'application/xml': 'xml',
    'application/zip': 'zip',
    'audio/mpeg': 'mp3',
    'image/jpeg': 'jpg',
    'image/pjpeg': 'jpg',
    'image/svg+xml': 'svg',
    'image/tiff': 'tif',
    'image/x-icon': 'ico',
    'message/delivery-status': 'txt',
    'message/disposition-notification': 'txt',
    'message/feedback-report': 'txt',
    'message/rfc822': 'eml',
    'text/calendar': 'ics',
    'text/css': 'css',
    'text/csv': 'csv',
    'text/directory': 'vcf',
    'text/html': 'html',
    'text/markdown': 'md',
    'text/rtf': 'rtf',
    'text/vcard': 'vcf',
    'text/x-vcard': 'vcf',
    'text/xml': 'xml',
    'video/quicktime': 'mov',
  }),
);
