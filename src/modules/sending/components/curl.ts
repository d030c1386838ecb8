import { type ComposeValues, requestWith } from './compose/compose-values';

/** A POSIX shell command that sends the form's message. It reads attachments from its working directory. */
export function curlOf(values: ComposeValues, origin: string): string {
  const body = JSON.stringify(
    requestWith(values, ({ key }) => `file:${key}`),
    null,
    2,
  );
  return [
    `curl ${origin}/api/v1/send \\`,
    '  -H "Authorization: Bearer $POSTROOM_KEY" \\',
    '  -H "Content-Type: application/json" \\',
    ...(values.attachments.length === 0
      ? ["  --data @- <<'JSON'", body]
      : ['  --data @- <<JSON', withFiles(body, values)]),
    'JSON',
  ].join('\n');
}

// An unquoted here-document runs the commands in it, so all other special characters are escaped.
function withFiles(body: string, { attachments }: ComposeValues): string {
  const escaped = body.replace(/[\\$`]/g, '\\$&');
  return attachments.reduce(
    (text, { key, file }) => text.replace(`file:${key}`, () => `$(base64 < ${quoted(file.name)} | tr -d '\\n')`),
    escaped,
  );
}

function quoted(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name;
  return `'${path.replaceAll("'", "'\\''")}'`;
}
