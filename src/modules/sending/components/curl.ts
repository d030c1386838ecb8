import { formatBytes } from '@/lib/format';
import { type ComposeValues, requestOf } from './compose-values';

export function curlOf(values: ComposeValues, origin: string): string {
  const attachments = values.files.map(({ file }) => ({
    filename: file.name,
    content_type: file.type || 'application/octet-stream',
    content: `<base64 of ${file.name}, ${formatBytes(file.size)}>`,
  }));
  const body = JSON.stringify(requestOf(values, attachments), null, 2);
  return [
    `curl ${origin}/api/v1/send \\`,
    '  -H "Authorization: Bearer $POSTROOM_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    `  --data @- <<'JSON'`,
    body,
    'JSON',
  ].join('\n');
}
