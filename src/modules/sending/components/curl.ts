import { type ComposeValues, requestOf } from './compose/compose-values';

/** A POSIX shell command that sends the form's message. It reads attachments from its working directory. */
export function curlOf(values: ComposeValues, origin: string): string {
  const placeholders = values.files.map(({ key }) => `file:${key}`);
  const attachments = values.files.map(({ file }, index) => ({
    filename: file.name,
    content_type: file.type || 'application/octet-stream',
    content: placeholders[index] as string,
  }));
  const body = JSON.stringify(requestOf(values, attachments), null, 2);
  return [
    `curl ${origin}/api/v1/send \\`,
    '  -H "Authorization: Bearer $POSTROOM_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    ...(values.files.length === 0 ? ["  --data @- <<'JSON'", body] : ['  --data @- <<JSON', withFiles(body, values)]),
    'JSON',
  ].join('\n');
}

// An unquoted here-document runs the commands in it, so all other special characters are escaped.
function withFiles(body: string, { files }: ComposeValues): string {
  const escaped = body.replace(/[\\$`]/g, '\\$&');
  return files.reduce(
    (text, { key, file }) => text.replace(`file:${key}`, () => `$(base64 < ${quoted(file.name)} | tr -d '\\n')`),
    escaped,
  );
}

function quoted(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name;
  return `'${path.replaceAll("'", "'\\''")}'`;
}
